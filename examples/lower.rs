//! Links and lowers bitcode files and prints a line of statistics: a tool for looking at speed.

use cegas::frontend::module::Piece;
use cegas::frontend::{link_and_lower, unit};
use std::time::Instant;

fn main() -> Result<(), String> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let mut prepared = Vec::new();
    let start = Instant::now();
    for path in &paths {
        let bytes = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
        prepared.push(unit::prepared(path, &bytes)?.0);
    }
    let preparing = start.elapsed();
    let pieces: Vec<Piece<'_>> =
        paths.iter().zip(&prepared).map(|(name, bitcode)| Piece { name, bitcode }).collect();
    let start = Instant::now();
    let program = link_and_lower("program", &pieces).map_err(|error| error.to_string())?;
    println!(
        "{} functions, {} blocks, {} instructions; prepared in {preparing:.2?}, linked and lowered in {:.2?}",
        program.funcs.len(),
        program.blocks.len(),
        program.insts.len(),
        start.elapsed()
    );
    let start = Instant::now();
    match cegas::ir::verify(&program) {
        Ok(()) => println!("verified in {:.2?}", start.elapsed()),
        Err(violations) => violations.iter().take(20).for_each(|v| println!("{v}")),
    }
    Ok(())
}

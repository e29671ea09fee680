//! Lowers and links bitcode files and prints a line of statistics: a tool for looking at speed.

use cegas::frontend::models::Models;
use cegas::frontend::unit;
use cegas::link::{self, Piece};
use std::time::Instant;

fn main() -> Result<(), String> {
    let mut pieces = Vec::new();
    let start = Instant::now();
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).map_err(|error| format!("{path}: {error}"))?;
        let unit = unit::lowered(&path, &bytes, cegas::frontend::Overflow::Undefined)?.into();
        pieces.push(Piece { name: path, unit });
    }
    let lowering = start.elapsed();
    let models = Models::default();
    let start = Instant::now();
    let program = link::link("program", pieces, |name, machine| models.get(name, machine))
        .map_err(|error| error.to_string())?;
    println!(
        "{} functions, {} blocks, {} instructions; read and lowered in {lowering:.2?}, linked in {:.2?}",
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

//! Lowers one C file, bitcode or text file and prints a line of statistics: a tool for looking.
use cegas::frontend::{self, module::Piece};

fn main() {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).expect("readable");
        let t = std::time::Instant::now();
        let prepared = frontend::prepared(&path, &bytes).expect("module");
        let prepare = t.elapsed();
        let t = std::time::Instant::now();
        let program =
            frontend::model(&path, &[Piece { name: &path, bitcode: &prepared }]).expect("linked");
        eprintln!("{path}: {} functions, {} blocks, {} instructions, prepare {prepare:?}, lower {:?}",
            program.funcs.len(), program.blocks.len(), program.insts.len(), t.elapsed());
        #[cfg(any())]
        match cegas::ir::verify(&program) {
            Ok(()) => eprintln!("verified"),
            Err(e) => for v in e.iter().take(20) { eprintln!("  {v}") },
        }
        if std::env::var_os("PRINT").is_some() {
            print!("{}", cegas::ir::print::print(&program));
        }
    }
}

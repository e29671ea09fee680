//! Lowers bitcode files and runs the pointer analysis on each: a tool for looking at speed.

fn main() {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).expect("a file");
        let (bitcode, _) = cegas::frontend::unit::prepared(&path, &bytes).expect("bitcode");
        let pieces = [cegas::frontend::module::Piece { name: &path, bitcode: &bitcode }];
        let program = cegas::frontend::link_and_lower(&path, &pieces).expect("lower");
        std::fs::write(path.replace(".bc", ".prog"), postcard::to_allocvec(&program).unwrap())
            .unwrap();
    }
}

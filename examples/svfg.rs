//! Builds the value-flow graph of models: a tool for looking at speed. Takes models as `examples/pta.rs` writes
//! them, or bitcode files; prints time, sizes and memory.

use std::time::Instant;

/// Peak memory of this process in MB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).unwrap_or(0) / 1024
}

fn main() {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).expect("a file");
        let program: cegas::ir::Program = if path.ends_with(".bc") {
            let unit =
                cegas::frontend::unit::lowered(&path, &bytes, cegas::frontend::Overflow::Undefined)
                    .expect("bitcode");
            let piece = cegas::link::Piece { name: path.clone(), unit: unit.into() };
            let models = cegas::frontend::models::Models::default();
            cegas::link::link(&path, vec![piece], |name, machine| models.get(name, machine))
                .expect("a program")
        } else {
            postcard::from_bytes(&bytes).expect("a model")
        };
        drop(bytes);
        let start = Instant::now();
        let answer = cegas::pta::analyse(&program, &cegas::pta::Options::default());
        let (andersen, mb) = (start.elapsed(), peak());
        let start = Instant::now();
        let svfg = cegas::svfg::build(&program, &answer, cegas::svfg::Options::default());
        println!(
            "{path}: {} instructions; Andersen {:.2} s {mb} MB ({:?}, {:.1} average); SVFG {:.2} s, \
             {} nodes, {} edges, {} cells, {} regions, {} bundles, {} coarse, {} MB held, {} MB peak",
            program.insts.len(),
            andersen.as_secs_f64(),
            answer.precision,
            answer.statistics.average,
            start.elapsed().as_secs_f64(),
            svfg.graph.nodes.len(),
            svfg.graph.edge_count(),
            svfg.cells.len(),
            svfg.regions.len(),
            svfg.bundles.len(),
            svfg.coarse.len(),
            svfg.bytes() >> 20,
            peak()
        );
    }
}

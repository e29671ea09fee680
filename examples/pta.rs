//! What the pointer analysis costs: a tool for looking at its speed.
//!
//!     pta model compile_commands.json OUT    compiles all units, links them as one program, writes the model
//!     pta measure MODEL                      analyses it and builds its value-flow graph; prints figures, one
//!                                            `name value` to a line
//!
//! Two processes, so that the memory measured is not the compiler's.

use anyhow::{Context, Result, bail};
use cegas::cancel::Cancel;
use cegas::frontend::cache::Cache;
use cegas::frontend::clang::Clang;
use cegas::frontend::models::Models;
use cegas::frontend::unit::Compiler;
use cegas::frontend::{self, Source};
use cegas::{ir, pta, svfg};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["model", database, out] => model(Path::new(database), Path::new(out)),
        ["measure", model] => measure(Path::new(model)),
        _ => {
            bail!("usage: pta model compile_commands.json OUT | pta measure MODEL")
        }
    }
}

fn model(database: &Path, out: &Path) -> Result<()> {
    let build = compile_db::read(database)?;
    let sources: Vec<Source> = build.units.into_iter().map(Source::C).collect();
    let (clang, cache, cancel) = (Clang::find()?, Cache::none(), Cancel::never());
    let compiler = Compiler::new(&clang, &cache, &cancel);
    let compiled = frontend::compile(&sources, &compiler, |_| {});
    let mut units = Vec::new();
    for (source, unit) in sources.iter().zip(&compiled) {
        let name = source.path().to_str().context("a file name that is not text")?;
        match unit {
            Ok(unit) => units.push((name, unit)),
            Err(error) => bail!("{name}: {error}"),
        }
    }
    let program = frontend::model("program", &units, &compiler, &Models::default())?;
    std::fs::write(out, postcard::to_allocvec(&program)?)?;
    Ok(())
}

fn measure(model: &Path) -> Result<()> {
    let program: ir::Program = postcard::from_bytes(&std::fs::read(model)?)?;
    let before = user_seconds()?;
    let answer = pta::analyse(&program, &pta::Options::default());
    let seconds = user_seconds()? - before;
    let statistics = &answer.statistics;
    println!("instructions {}", program.insts.len());
    println!("seconds {seconds:.2}");
    println!("megabytes {:.0}", peak_megabytes()?);
    println!("precision {:?}", answer.precision);
    println!("work {}", statistics.work);
    println!("pointers {}", statistics.pointers);
    println!("values {}", program.values.len());
    let all = program.values.keys().filter(|&v| program.is_pointer(ir::Operand::Value(v)));
    println!("pointer-values {}", all.count());
    println!("average {:.2}", statistics.average);
    println!("objects {:.2}", statistics.average_objects);
    println!("largest {}", statistics.largest);
    let sizes = sizes(&program, &answer);
    println!("members {}", sizes.members);
    println!("members-by-site {}", sizes.by_site);
    println!("cells {}", sizes.cells);
    println!("members-of-cells {}", sizes.of_cells);
    for &func in &answer.externals {
        println!("unknown {}", program.funcs[func].name);
    }
    let before = user_seconds()?;
    let svfg = svfg::build(&program, &answer, svfg::Options::default());
    println!("svfg-seconds {:.2}", user_seconds()? - before);
    println!("svfg-megabytes {:.0}", peak_megabytes()?);
    println!("svfg-nodes {}", svfg.graph.nodes.len());
    println!("svfg-edges {}", svfg.graph.edge_count());
    Ok(())
}

/// How many members the sets of the answer have.
struct Sizes {
    /// Of all values, numbers too.
    members: usize,
    /// The same, if what one site allocates were one object whatever the calls on the way there.
    by_site: usize,
    cells: usize,
    of_cells: usize,
}

fn sizes(program: &ir::Program, answer: &pta::PointsTo) -> Sizes {
    let site = |object: pta::ObjectId| match answer.objects[object].kind {
        pta::ObjectKind::Alloca { site, .. } | pta::ObjectKind::Heap { site, .. } => Ok(site),
        _ => Err(object),
    };
    let mut known: FxHashMap<pta::SetId, usize> = FxHashMap::default();
    let mut sizes = Sizes { members: 0, by_site: 0, cells: 0, of_cells: 0 };
    for value in program.values.keys() {
        let set = answer.set(value);
        sizes.members += answer.count(set);
        sizes.by_site += *known.entry(set).or_insert_with(|| {
            let places = answer.members(set).map(|member| {
                let location = answer.locations[member];
                (site(location.object), location.place)
            });
            places.collect::<FxHashSet<_>>().len()
        });
    }
    for object in answer.objects.keys() {
        let content = answer.content(object);
        let cells = content.cells.iter().map(|cell| cell.1);
        for set in cells.chain(content.spreads.iter().map(|spread| spread.1)) {
            sizes.cells += 1;
            sizes.of_cells += answer.count(set);
        }
    }
    sizes
}

/// Processor time of this process outside the kernel.
fn user_seconds() -> Result<f64> {
    let text = std::fs::read_to_string("/proc/self/stat")?;
    let fields = text.rsplit_once(')').context("/proc/self/stat")?.1;
    let ticks: f64 = fields.split_whitespace().nth(11).context("/proc/self/stat")?.parse()?;
    Ok(ticks / 100.0)
}

fn peak_megabytes() -> Result<f64> {
    let text = std::fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("VmHWM")?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes / 1024.0)
}

//! Who may point where: Andersen's inclusion-based pointer analysis of a whole program.
//!
//! - [`objects`], [`shape`]: what pointers point to. An object for each variable, function and
//!   allocation site (allocation [`wrappers`] are looked at once for each call of them), divided
//!   by byte offset, with the elements of an array folded into one.
//! - [`constraints`]: the language; [`generate`], [`instructions`], [`callsites`], [`start`] speak it, for
//!   what can be reached from the entries. Numbers are tracked like pointers where they can carry one.
//! - [`calls`], [`externals`], [`models`]: what calls mean. Functions without a body have summaries; one
//!   that has none is unknown code; of functions of other common libraries it is known where pointers go, and nothing
//!   else. There is one node for everything unknown code knows: what is
//!   given to it *escapes*, and it may hand out, store into each other, and call what has escaped.
//! - [`applied`]: functions that call what they are given, with data they are given, are looked at once for each call, too.
//! - [`twins`]: objects that only the call tells apart for which they were made become one, where pointers got mixed up.
//! - [`offline`]: nodes that must be equal become one before solving.
//! - [`graph`], [`memory`], [`waves`]: solving by waves of differences over a graph whose cycles are
//!   merged, with shared [`sets`]. Memory is divided into cells of a pointer's size.
//! - [`result`], [`freeze`], [`dump`], [`alias_checks`]: the answer, and how it is shown.
//!
//! Soundness: every pointer that an execution without undefined behaviour can produce lies in the
//! computed sets. Beyond the standard, these common practices are covered, too: `container_of`, pointers
//! copied as integers, in pieces or byte by byte, tagged in their low bits, kept in XOR lists, arrays
//! counted from one, struct hacks, unions, calls through other function types (see [`calls`]).
//! Not covered: a pointer recomputed from the *sum or product* of fragments narrower than a pointer, or
//! from its printed form; indexing from one object into another; a string function that
//! copies a pointer because its bytes happen to look like a string.
//!
//! When the work or memory given is spent, the analysis starts again with every object as one place,
//! and at last answers that every pointer may point to everything whose address is taken.

pub mod alias_checks;
mod applied;
mod assembly;
mod calls;
mod callsites;
mod coarse;
pub mod constraints;
pub mod dump;
mod externals;
mod freeze;
mod generate;
mod graph;
mod instructions;
mod fragments;
mod leaves;
mod memory;
mod models;
mod copiers;
pub mod objects;
mod offline;
pub mod result;
pub mod sets;
pub mod shape;
mod start;
pub mod tarjan;
mod twins;
mod waves;
mod wrappers;

use crate::budgets;
use crate::ir::Program;
use freeze::Names;
use generate::Generator;
use graph::Graph;
use objects::Objects;
pub use objects::{Context, ContextId, Location, LocationId, Object, ObjectId, ObjectKind};
pub use result::{Callees, Content, PointsTo, Precision, Statistics};
pub use sets::{EMPTY, SetId};
pub use shape::{Place, Shape, Spread};
use std::time::Instant;
use wrappers::Wrappers;

/// How the analysis is to be done.
#[derive(Debug, Clone)]
pub struct Options {
    /// Steps of solving for the first attempt on a small program (see [`Statistics::work`]), some more for the second; then the
    /// coarsest answer is given. Not time: the answer must not depend on how busy the machine is.
    pub work: u64,
    /// Bytes the solver's tables may take.
    pub memory: usize,
    /// Looks at allocation wrappers once for each call.
    pub clone_wrappers: bool,
    /// All string literals are one object.
    pub merge_literals: bool,
    /// Every function with a body is taken to be called, by somebody who passes no pointers.
    pub all_run: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            work: budgets::POINTER_WORK,
            memory: budgets::POINTER_MEMORY,
            clone_wrappers: true,
            merge_literals: true,
            all_run: false,
        }
    }
}

/// Why an attempt was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spent {
    Work,
    Memory,
}

/// Analyses the whole program.
pub fn analyse(program: &Program, options: &Options) -> PointsTo {
    let started = Instant::now();
    let wrappers =
        if options.clone_wrappers { Wrappers::find(program) } else { Wrappers::default() };
    let work = options.work.saturating_mul(budgets::POINTER_WORK_COARSE);
    let coarse = Options { work, ..options.clone() };
    attempt(program, options, Precision::Fields, wrappers, started)
        .or_else(|_| attempt(program, &coarse, Precision::Objects, Wrappers::default(), started))
        .unwrap_or_else(|_| coarse::everything(program, options, started))
}

/// Analyses the whole program with every object as one place, as if every function were called.
pub fn by_objects(program: &Program) -> PointsTo {
    let (options, started) = (Options { all_run: true, ..Options::default() }, Instant::now());
    attempt(program, &options, Precision::Objects, Wrappers::default(), started)
        .unwrap_or_else(|_| coarse::everything(program, &options, started))
}

fn attempt(
    program: &Program,
    options: &Options,
    precision: Precision,
    wrappers: Wrappers,
    started: Instant,
) -> Result<PointsTo, Spent> {
    let more = program.insts.len() / budgets::POINTER_WORK_INSTRUCTIONS;
    let options =
        &Options { work: options.work.saturating_mul(1 + more as u64), ..options.clone() };
    let flat = precision == Precision::Objects;
    let objects = Objects::new(program, flat, options.merge_literals);
    let mut generator = Generator::new(program, objects, wrappers);
    if options.clone_wrappers && !flat {
        generator.applied = applied::find(program);
    }
    generator.run(options.all_run);
    let names = Names::of(&mut generator);
    let Generator { objects, world, constraints, int_to_ptr, passed, .. } = generator;
    let mut statistics = Statistics { nodes: constraints.traits.len(), ..Statistics::default() };
    let reduced = offline::reduce(constraints, &passed);
    let standing = reduced.place.iter().enumerate();
    statistics.reduced = standing.filter(|(index, node)| node.as_u32() as usize == *index).count();
    let mut graph = Graph::new(objects, world, reduced);
    graph.solve(options)?;
    let unknown = graph.unknown_integers(&int_to_ptr);
    if !unknown.is_empty() {
        graph.solve(options)?;
    }
    graph.join_equals();
    statistics.time = started.elapsed();
    Ok(freeze::freeze(program, graph, names, precision, unknown, statistics))
}

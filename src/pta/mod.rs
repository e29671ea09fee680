//! Who may point where: Andersen's inclusion-based pointer analysis of a whole program.
//!
//! - [`objects`], [`shape`], [`members`]: what pointers point to. An object for each variable, function and
//!   allocation site (allocation [`wrappers`] are looked at once for each call of them), divided
//!   by byte offset, with the elements of an array folded into one.
//! - [`constraints`]: the language; [`generate`], [`instructions`], [`callsites`], [`start`] speak it, for
//!   what can be reached from the entries. Numbers are tracked like pointers where they can carry one.
//! - [`calls`], [`externals`], [`models`]: what calls mean. Functions without a body have summaries; one
//!   that has none is unknown code. There is one node for everything unknown code knows: what is
//!   given to it *escapes*, and it may hand out, store into each other, and call what has escaped. While
//!   solving, one object stands for all of that, the unknown memory; the answer names what it stands for.
//! - [`offline`]: nodes that must be equal become one before solving.
//! - [`graph`], [`memory`], [`waves`]: solving by waves of differences over a graph whose cycles are
//!   merged, with shared [`sets`]. Memory is divided into cells of a pointer's size.
//! - [`result`], [`freeze`], [`dump`], [`alias_checks`]: the answer, and how it is shown.
//!
//! Soundness: every pointer that an execution without undefined behaviour can produce lies in the
//! computed sets. Beyond the standard, these common practices are covered, too: `container_of`, pointers
//! copied as integers, in pieces or byte by byte, tagged in their low bits, kept in XOR lists, arrays
//! counted from one, struct hacks, unions, calls through other function types (see [`calls`]).
//! Taken for granted, where the types of an access say so: a struct whose member is named lies inside its object as
//! a whole, if the object is large enough for it at all; and an index does not lead out of an array that is a
//! member (the last member counts as one without an end); a member that would lie outside an object is none of it.
//! Not covered: a pointer recomputed from the *sum or product* of fragments narrower than a pointer, or
//! from its printed form; indexing from one object into another; a string function that
//! copies a pointer because its bytes happen to look like a string.
//!
//! When the work or memory given is spent, the analysis starts again with every object as one place,
//! and at last answers that every pointer may point to everything whose address is taken.

pub mod alias_checks;
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
mod members;
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
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Steps of solving for the first attempt (see [`Statistics::work`]), some more for the second; then the
    /// coarsest answer is given. Not time: the answer must not depend on how busy the machine is.
    pub work: u64,
    /// Bytes the solver's tables may take.
    pub memory: usize,
    /// Looks at allocation wrappers once for each call, if that helps.
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

/// Objects in the average set from which on copies of allocation wrappers tell nothing apart: then all that callers
/// allocate is in the same sets, and the copies only make these longer.
const WIDE: f64 = 32.0;

/// Why an attempt was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spent {
    Work,
    Memory,
}

/// Analyses the whole program.
pub fn analyse(program: &Program, options: &Options) -> PointsTo {
    let started = Instant::now();
    if options.clone_wrappers {
        let work = budgets::POINTER_WORK_CLONES * program.insts.len() as u64;
        let some =
            Options { work: work.max(budgets::POINTER_WORK_LEAST).min(options.work), ..*options };
        let found = attempt(program, &some, Precision::Fields, Wrappers::find(program), started);
        if let Some(answer) = found.ok().filter(|answer| answer.statistics.average_objects < WIDE) {
            return answer;
        }
    }
    let work = options.work.saturating_mul(budgets::POINTER_WORK_COARSE);
    let coarse = Options { work, ..*options };
    attempt(program, options, Precision::Fields, Wrappers::default(), started)
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
    let flat = precision == Precision::Objects;
    let objects = Objects::new(program, flat, options.merge_literals);
    let mut generator = Generator::new(program, objects, wrappers);
    generator.run(options.all_run);
    let names = Names::of(&mut generator);
    let handed_on = generator.handed_on();
    let Generator { objects, world, constraints, int_to_ptr, passed, .. } = generator;
    let mut statistics = Statistics { nodes: constraints.traits.len(), ..Statistics::default() };
    let reduced = offline::reduce(constraints, &passed, &handed_on);
    let standing = reduced.place.iter().enumerate();
    statistics.reduced = standing.filter(|(index, node)| node.as_u32() as usize == *index).count();
    let mut graph = Graph::new(objects, world, reduced);
    graph.solve(options)?;
    let unknown = graph.unknown_integers(&int_to_ptr);
    if !unknown.is_empty() {
        graph.solve(options)?;
    }
    statistics.time = started.elapsed();
    Ok(freeze::freeze(program, graph, names, precision, unknown, statistics))
}

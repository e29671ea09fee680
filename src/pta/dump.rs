//! The answer as text and as Graphviz. The output depends on the program alone, not on time or memory
//! spent, so it can be compared between runs.

use super::objects::{ContextId, LocationId, ObjectId, ObjectKind};
use super::result::{PointsTo, Precision};
use super::sets::{EMPTY, SetId};
use super::shape::Place;
use crate::ir::{FuncId, InstId, Program, ValueId};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Where an instruction stands: function, and line if known.
fn place_of(program: &Program, inst: InstId) -> String {
    let func = &program.funcs[program.func_of(inst)].name;
    match program.loc(inst).filter(|loc| loc.line > 0) {
        Some(loc) => format!("{func}:{}", loc.line),
        None => func.clone(),
    }
}

fn context(program: &Program, answer: &PointsTo, mut id: ContextId) -> String {
    let mut calls = Vec::new();
    while let Some(data) = answer.contexts.get(id)
        && let Some(call) = data.call
    {
        calls.push(place_of(program, call));
        id = data.parent;
    }
    match calls.is_empty() {
        true => String::new(),
        false => format!(" from {}", calls.join(" from ")),
    }
}

/// What an object is, for people.
pub fn object_name(program: &Program, answer: &PointsTo, id: ObjectId) -> String {
    match answer.objects[id].kind {
        ObjectKind::Unknown => "unknown memory".to_owned(),
        ObjectKind::Literals => "string literals".to_owned(),
        ObjectKind::Arguments => "argv".to_owned(),
        ObjectKind::ArgumentStrings => "argv's strings".to_owned(),
        ObjectKind::Global(global) => format!("global {}", program.globals[global].name),
        ObjectKind::Func(func) => format!("function {}", program.funcs[func].name),
        ObjectKind::Alloca { site, context: cx } => {
            let name =
                program.insts[site].result.expand().and_then(|v| program.values[v].name.expand());
            let name = name.map_or("", |name| program.texts.get(name));
            let from = context(program, answer, cx);
            format!("local {name}@{}{from}", place_of(program, site))
        }
        ObjectKind::Heap { site, by, context: cx } => {
            let from = context(program, answer, cx);
            format!("{}@{}{from}", program.funcs[by].name, place_of(program, site))
        }
        ObjectKind::Static(func) => format!("storage of {}", program.funcs[func].name),
        ObjectKind::Varargs { func, context: cx } => {
            let from = context(program, answer, cx);
            format!("variable arguments of {}{from}", program.funcs[func].name)
        }
    }
}

fn location_name(answer: &PointsTo, id: LocationId) -> String {
    let location = answer.locations[id];
    match location.place {
        Place::At(0) => format!("{}", location.object),
        Place::At(offset) if !(-(1 << 40)..1 << 40).contains(&offset) => {
            format!("{}+outside", location.object)
        }
        Place::At(offset) => format!("{}{offset:+}", location.object),
        Place::Spread(spread) if spread.len > 1 => {
            format!("{}+{}..{}*{}", location.object, spread.start, spread.span, spread.stride)
        }
        Place::Spread(spread) => {
            format!("{}+{}..{}", location.object, spread.start, spread.start + spread.span)
        }
        Place::Any => format!("{}+*", location.object),
    }
}

fn set_text(answer: &PointsTo, set: SetId) -> String {
    let members: Vec<String> = answer.members(set).map(|id| location_name(answer, id)).collect();
    format!("{{{}}}", members.join(", "))
}

/// The values of each function that point somewhere.
fn by_function(program: &Program, answer: &PointsTo) -> BTreeMap<FuncId, Vec<ValueId>> {
    let mut values: BTreeMap<FuncId, Vec<ValueId>> = BTreeMap::new();
    for value in program.values.keys().filter(|&value| answer.set(value) != EMPTY) {
        values.entry(program.func_of_value(value)).or_default().push(value);
    }
    values
}

/// `--dump=pta`.
pub fn points_to_text(program: &Program, answer: &PointsTo) -> String {
    let mut out = String::new();
    let precision = match answer.precision {
        Precision::Fields => "offsets are told apart",
        Precision::Objects => "every object is one place (the budget was spent)",
        Precision::Nothing => "every pointer may point to everything (the budget was spent)",
    };
    let statistics = &answer.statistics;
    let _ = writeln!(
        out,
        "; {precision}; {} pointers, {:.1} locations on average, {} at most",
        statistics.pointers, statistics.average, statistics.largest
    );
    for &func in &answer.externals {
        let _ = writeln!(out, "; unknown function {}", program.funcs[func].name);
    }
    for &inst in &answer.unknown_integers {
        let _ = writeln!(
            out,
            "; integer of unknown origin becomes a pointer: {inst} in {}",
            place_of(program, inst)
        );
    }
    for &(inst, func) in &answer.filtered {
        let name = &program.funcs[func].name;
        let _ = writeln!(out, "; {inst} in {} cannot call {name}", place_of(program, inst));
    }
    for (id, object) in answer.objects.iter() {
        let size = object.size.map_or_else(String::new, |size| format!(" ({size} bytes)"));
        let _ = writeln!(out, "{id}: {}{size}", object_name(program, answer, id));
        let content = answer.content(id);
        for &(offset, set) in content.cells.iter().filter(|cell| cell.1 != EMPTY) {
            let _ = writeln!(out, "    {offset:+} holds {}", set_text(answer, set));
        }
        for &(_, set) in content.spreads.iter().filter(|spread| spread.1 != EMPTY) {
            let _ = writeln!(out, "    somewhere holds {}", set_text(answer, set));
        }
    }
    for (func, values) in by_function(program, answer) {
        let _ = writeln!(out, "{func} {}:", program.funcs[func].name);
        for value in values {
            let name = program.values[value].name.expand();
            let name =
                name.map_or_else(String::new, |name| format!(" %{}", program.texts.get(name)));
            let _ = writeln!(out, "    {value}{name} -> {}", set_text(answer, answer.set(value)));
        }
    }
    out
}

/// `--dump=pta --dump-format=dot`: which object holds pointers to which.
pub fn points_to_dot(program: &Program, answer: &PointsTo) -> String {
    let mut out = String::from("digraph pta {\n    rankdir=LR;\n    node [shape=box];\n");
    for id in answer.objects.keys() {
        let label = object_name(program, answer, id);
        let _ = writeln!(out, "    {id} [label={label:?}];");
    }
    for id in answer.objects.keys() {
        let content = answer.content(id);
        let cells = content.cells.iter().map(|&(offset, set)| (format!("{offset:+}"), set));
        let spreads = content.spreads.iter().map(|&(_, set)| ("*".to_owned(), set));
        let mut edges: Vec<(ObjectId, String)> = Vec::new();
        for (from, set) in cells.chain(spreads) {
            let objects = answer.members(set).map(|to| answer.locations[to].object);
            edges.extend(objects.map(|to| (to, from.clone())));
        }
        edges.sort_unstable();
        edges.dedup();
        for (to, from) in edges {
            let _ = writeln!(out, "    {id} -> {to} [label={from:?}];");
        }
    }
    out + "}\n"
}

/// The calls of each reachable function, in the order of its instructions.
fn calls(program: &Program, answer: &PointsTo) -> Vec<(FuncId, Vec<InstId>)> {
    let of = |func: FuncId| {
        let blocks = program.funcs[func].blocks.iter();
        blocks
            .flat_map(|block| program.blocks[block].insts.iter())
            .filter(|&inst| {
                let callees = answer.callees(inst);
                callees.unknown || !callees.funcs.is_empty()
            })
            .collect()
    };
    answer.reachable.iter().map(|&func| (func, of(func))).collect()
}

/// `--dump=callgraph`.
pub fn call_graph_text(program: &Program, answer: &PointsTo) -> String {
    let mut out = String::new();
    for (func, calls) in calls(program, answer) {
        let _ = writeln!(out, "{}:", program.funcs[func].name);
        for inst in calls {
            let callees = answer.callees(inst);
            let mut names: Vec<&str> =
                callees.funcs.iter().map(|&callee| program.funcs[callee].name.as_str()).collect();
            if callees.unknown {
                names.push("(unknown code)");
            }
            let _ = writeln!(out, "    {inst} {} -> {}", place_of(program, inst), names.join(", "));
        }
    }
    for &func in &answer.called_by_unknown {
        let _ = writeln!(out, "(unknown code) -> {}", program.funcs[func].name);
    }
    out
}

/// `--dump=callgraph --dump-format=dot`.
pub fn call_graph_dot(program: &Program, answer: &PointsTo) -> String {
    let mut out = String::from("digraph calls {\n    rankdir=LR;\n    node [shape=box];\n");
    let mut edges: Vec<(FuncId, FuncId)> = Vec::new();
    let mut unknown: Vec<FuncId> = Vec::new();
    for (func, calls) in calls(program, answer) {
        for inst in calls {
            let callees = answer.callees(inst);
            edges.extend(callees.funcs.iter().map(|&callee| (func, callee)));
            unknown.extend(callees.unknown.then_some(func));
        }
    }
    edges.sort_unstable();
    edges.dedup();
    unknown.dedup();
    let mut funcs: Vec<FuncId> = edges.iter().flat_map(|&(a, b)| [a, b]).collect();
    funcs.extend(&answer.reachable);
    funcs.sort_unstable();
    funcs.dedup();
    for func in funcs {
        let _ = writeln!(out, "    {func} [label={:?}];", program.funcs[func].name);
    }
    for (from, to) in edges {
        let _ = writeln!(out, "    {from} -> {to};");
    }
    if !unknown.is_empty() || !answer.called_by_unknown.is_empty() {
        out += "    unknown [label=\"(unknown code)\", style=dashed];\n";
    }
    for func in unknown {
        let _ = writeln!(out, "    {func} -> unknown;");
    }
    for func in &answer.called_by_unknown {
        let _ = writeln!(out, "    unknown -> {func};");
    }
    out + "}\n"
}

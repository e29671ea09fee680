//! The graph as text and as Graphviz, function by function.

use super::Svfg;
use super::graph::{BundleId, Flow, Node, NodeId};
use crate::ir::{Def, FuncId, InstId, Program};
use crate::pta::PointsTo;
use crate::pta::dump::object_name;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Cells named in full before the rest is only counted.
const NAMED: usize = 6;

/// The function a node belongs to.
fn func_of(program: &Program, node: Node) -> Option<FuncId> {
    match node {
        Node::Value(value) => Some(program.func_of_value(value)),
        Node::Use(inst)
        | Node::Chi { at: inst, .. }
        | Node::ActualIn { call: inst, .. }
        | Node::ActualOut { call: inst, .. } => Some(program.func_of(inst)),
        Node::Phi { block, .. } => Some(program.blocks[block].func),
        Node::FormalIn { func, .. } | Node::FormalOut { func, .. } => Some(func),
        Node::Outside => None,
    }
}

fn line(program: &Program, inst: InstId) -> String {
    match program.loc(inst).filter(|loc| loc.line > 0) {
        Some(loc) => format!(":{}", loc.line),
        None => String::new(),
    }
}

/// What the node is, in the names of the model.
pub fn node_text(program: &Program, node: Node) -> String {
    match node {
        Node::Value(value) => {
            let data = &program.values[value];
            let name = data.name.expand().map_or("", |name| program.texts.get(name));
            let name = if name.is_empty() { String::new() } else { format!(" %{name}") };
            match data.def {
                Def::Param { index, .. } => format!("{value}{name} parameter {index}"),
                Def::Inst(inst) => format!("{value}{name} {inst}{}", line(program, inst)),
            }
        }
        Node::Use(inst) => format!("use {inst}{}", line(program, inst)),
        Node::Chi { at, bundle } => format!("chi {bundle} {at}{}", line(program, at)),
        Node::Phi { block, bundle } => format!("phi {bundle} {block}"),
        Node::FormalIn { bundle, .. } => format!("formal-in {bundle}"),
        Node::FormalOut { bundle, .. } => format!("formal-out {bundle}"),
        Node::ActualIn { call, bundle } => {
            format!("actual-in {bundle} {call}{}", line(program, call))
        }
        Node::ActualOut { call, bundle } => {
            format!("actual-out {bundle} {call}{}", line(program, call))
        }
        Node::Outside => "outside".to_owned(),
    }
}

fn flow_text(flow: Flow) -> String {
    match flow {
        Flow::Direct => "direct".to_owned(),
        Flow::Indirect => "indirect".to_owned(),
        Flow::Call(call) => format!("call {call}"),
        Flow::Return(call) => format!("return {call}"),
    }
}

/// What a bundle stands for.
fn bundle_text(program: &Program, answer: &PointsTo, svfg: &Svfg, bundle: BundleId) -> String {
    let cells = svfg.cells_of(bundle);
    let mut names: Vec<String> = Vec::new();
    for &cell in cells.iter().take(NAMED) {
        let cell = svfg.cells[cell];
        let name = object_name(program, answer, cell.object);
        names.push(match cell.end {
            0 => name,
            end => format!("{name} bytes {}..{end}", cell.start),
        });
    }
    if cells.len() > NAMED {
        names.push(format!("{} more", cells.len() - NAMED));
    }
    names.join(", ")
}

type ByFunction = BTreeMap<Option<FuncId>, Vec<NodeId>>;

fn by_function(program: &Program, svfg: &Svfg) -> ByFunction {
    let mut found = ByFunction::new();
    for (id, &node) in &svfg.graph.nodes {
        found.entry(func_of(program, node)).or_default().push(id);
    }
    found
}

/// `--dump=svfg`.
pub fn text(program: &Program, answer: &PointsTo, svfg: &Svfg) -> String {
    let mut out = format!(
        "; {} nodes, {} edges, {} regions, {} bundles\n",
        svfg.graph.nodes.len(),
        svfg.graph.edge_count(),
        svfg.regions.len(),
        svfg.bundles.len()
    );
    for &func in &svfg.coarse {
        let _ = writeln!(out, "; memory followed coarsely in {}", program.funcs[func].name);
    }
    for (func, nodes) in by_function(program, svfg) {
        match func {
            Some(func) => _ = writeln!(out, "{func} {}:", program.funcs[func].name),
            None => out += "outside:\n",
        }
        let bundles = svfg.bundles.iter().filter(|(_, bundle)| Some(bundle.func) == func);
        for (id, _) in bundles {
            let _ = writeln!(out, "    {id}: {}", bundle_text(program, answer, svfg, id));
        }
        for id in nodes {
            let _ = writeln!(out, "    {id} {}", node_text(program, svfg.graph.nodes[id]));
            for (to, flow) in svfg.graph.successors(id) {
                let _ = writeln!(out, "        -> {to} {}", flow_text(flow));
            }
        }
    }
    out
}

/// `--dump=svfg --dump-format=dot`.
pub fn dot(program: &Program, svfg: &Svfg) -> String {
    let mut out = String::from("digraph svfg {\n    node [shape=box];\n");
    for (func, nodes) in by_function(program, svfg) {
        if let Some(func) = func {
            let name = &program.funcs[func].name;
            let _ = writeln!(out, "    subgraph cluster_{func} {{\n        label={name:?};");
        }
        for &id in &nodes {
            let label = node_text(program, svfg.graph.nodes[id]);
            let _ = writeln!(out, "        {id} [label={label:?}];");
        }
        if func.is_some() {
            out += "    }\n";
        }
    }
    for id in svfg.graph.nodes.keys() {
        for (to, flow) in svfg.graph.successors(id) {
            let style = match flow {
                Flow::Direct => "",
                Flow::Indirect => " [style=dashed]",
                Flow::Call(_) => " [color=blue]",
                Flow::Return(_) => " [color=red]",
            };
            let _ = writeln!(out, "    {id} -> {to}{style};");
        }
    }
    out + "}\n"
}

//! A spatial flow graph as text and as Graphviz: the blocks that are left with what they do, and the value flow
//! among it.

use super::{Exit, Sfg};
use crate::ir::{BlockId, FuncId, Inst, Program, print_inst};
use crate::svfg::Svfg;
use crate::svfg::dump::node_text;
use std::fmt::Write;

/// The blocks that something is left of, by function.
fn blocks(program: &Program, sfg: &Sfg) -> Vec<(FuncId, Vec<BlockId>)> {
    let mut found = Vec::new();
    for &func in &sfg.funcs {
        let left = |block: &BlockId| {
            sfg.before.contains(*block)
                && program.blocks[*block].insts.iter().any(|i| sfg.relevant.insts.contains(i))
        };
        let blocks: Vec<BlockId> = program.funcs[func].blocks.iter().filter(left).collect();
        if !blocks.is_empty() {
            found.push((func, blocks));
        }
    }
    found
}

fn place(program: &Program, sfg: &Sfg) -> String {
    let func = &program.funcs[program.func_of(sfg.at)].name;
    match program.loc(sfg.at).filter(|loc| loc.line > 0) {
        Some(loc) => format!("{} {func}:{}", sfg.at, loc.line),
        None => format!("{} {func}", sfg.at),
    }
}

/// Where control goes behind a block.
fn targets(program: &Program, sfg: &Sfg, block: BlockId) -> Vec<BlockId> {
    match sfg.exit(program, block) {
        Exit::Same => program.successors(block),
        Exit::Jump(to) => vec![to],
        Exit::Return | Exit::End => Vec::new(),
    }
}

fn last_text(program: &Program, sfg: &Sfg, block: BlockId) -> Option<String> {
    match sfg.exit(program, block) {
        Exit::Same => {
            let last = program.terminator(block)?;
            let value = matches!(program.inst(last), Inst::Return { value: Some(_) });
            match value && !sfg.relevant.results.contains(program.blocks[block].func) {
                true => Some("return".to_owned()),
                false => Some(print_inst(program, last)),
            }
        }
        Exit::Jump(to) => Some(format!("jump {to}")),
        Exit::Return => Some("return".to_owned()),
        Exit::End => Some("end".to_owned()),
    }
}

/// The lines of a block.
fn lines(program: &Program, sfg: &Sfg, block: BlockId) -> Vec<String> {
    let insts = program.blocks[block].insts.iter();
    let kept = insts
        .filter(|&inst| sfg.relevant.insts.contains(inst) && !program.inst(inst).is_terminator());
    let mut lines: Vec<String> =
        kept.map(|inst| print_inst(program, inst).trim().to_owned()).collect();
    lines.extend(last_text(program, sfg, block).map(|text| text.trim().to_owned()));
    lines
}

/// `--dump=sfg`.
pub fn text(program: &Program, svfg: &Svfg, sfg: &Sfg) -> String {
    let kept = sfg.relevant.insts.iter().count();
    let mut out = format!(
        "obligation {}: {kept} of {} instructions\n",
        place(program, sfg),
        program.insts.len()
    );
    for (func, blocks) in blocks(program, sfg) {
        let _ = writeln!(out, "  {func} {}:", program.funcs[func].name);
        for block in blocks {
            let _ = writeln!(out, "    {block}:");
            for line in lines(program, sfg, block) {
                let _ = writeln!(out, "      {line}");
            }
        }
    }
    out += "  value flow:\n";
    for node in sfg.relevant.nodes.iter() {
        for (to, _) in svfg.graph.successors(node) {
            if sfg.relevant.nodes.contains(to) {
                let (from, to) = (svfg.graph.nodes[node], svfg.graph.nodes[to]);
                let (from, to) = (node_text(program, from), node_text(program, to));
                let _ = writeln!(out, "    {from} -> {to}");
            }
        }
    }
    out
}

/// `--dump=sfg --dump-format=dot`: one graph for each obligation.
pub fn dot(program: &Program, svfg: &Svfg, sfg: &Sfg) -> String {
    let mut out = format!("digraph sfg_{} {{\n    node [shape=box];\n", sfg.at);
    for (func, blocks) in blocks(program, sfg) {
        let name = &program.funcs[func].name;
        let _ = writeln!(out, "    subgraph cluster_{func} {{\n        label={name:?};");
        for &block in &blocks {
            let label = lines(program, sfg, block).join("\n");
            let _ = writeln!(out, "        {block} [label={label:?}];");
        }
        out += "    }\n";
        for &block in &blocks {
            for to in targets(program, sfg, block) {
                let _ = writeln!(out, "    {block} -> {to};");
            }
        }
    }
    for node in sfg.relevant.nodes.iter() {
        for (to, _) in svfg.graph.successors(node) {
            if sfg.relevant.nodes.contains(to) {
                let label = |node| node_text(program, svfg.graph.nodes[node]);
                let _ = writeln!(out, "    {:?} -> {:?} [style=dashed];", label(node), label(to));
            }
        }
    }
    out + "}\n"
}

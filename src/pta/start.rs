//! Where everything begins: constants, what globals hold at the start, the entries and their arguments.

use super::constraints::{Nodes, Sink};
use super::generate::Generator;
use super::objects::{LocationId, ObjectKind, Step};
use super::shape::Shape;
use crate::ir::{BinaryOp, Const, ConstExpr, ConstId, FuncId, GlobalId, Linkage, Program, Type};

/// The functions that run without being called: `main` with the constructors and destructors, or, in a
/// program without `main`, every function the outside can see.
pub fn entries(program: &Program) -> Vec<FuncId> {
    let visible = |func: &FuncId| {
        let function = &program.funcs[*func];
        function.linkage != Linkage::Internal && !function.blocks.is_empty()
    };
    let main = program.func_by_name("main").filter(visible);
    let mut entries: Vec<FuncId> = match main {
        Some(main) => vec![main],
        None => program.funcs.keys().filter(visible).collect(),
    };
    entries.extend(program.constructors.iter().chain(&program.destructors));
    entries
}

impl<'p> Generator<'p> {
    /// Generates everything that can be reached, or simply all functions.
    pub fn run(&mut self, all: bool) {
        let program = self.program;
        let escaped = self.world.escaped;
        let unknown = self.objects.any(self.objects.unknown);
        self.address(escaped, unknown);
        let closed =
            program.func_by_name("main").is_some_and(|f| !program.funcs[f].blocks.is_empty());
        for func in entries(program) {
            self.entry(func, closed);
        }
        if all {
            program.funcs.keys().for_each(|func| drop(self.signature(func)));
        }
        if !closed {
            let seen = |id: &GlobalId| program.globals[*id].linkage != Linkage::Internal;
            for id in program.globals.keys().filter(seen) {
                let location = self.global(id, 0);
                self.address(escaped, location);
            }
        }
        loop {
            if let Some(func) = self.waiting_funcs.pop() {
                self.body(func);
            } else if let Some(global) = self.waiting_globals.pop() {
                self.initial(global);
            } else if let Some(mut copy) = self.waiting_copies.pop() {
                self.instructions(&mut copy);
            } else {
                break;
            }
        }
    }

    fn entry(&mut self, func: FuncId, closed: bool) {
        let Some(signature) = self.signature(func) else {
            return;
        };
        let escaped = self.world.escaped;
        if closed {
            // `main(argc, argv, envp)`; constructors are given the same.
            for &param in signature.params.iter().skip(1) {
                let location = self.arguments();
                param.into_iter().flat_map(Nodes::iter).for_each(|p| self.address(p, location));
            }
            return;
        }
        for node in signature.params.iter().flatten().flat_map(|nodes| nodes.iter()) {
            self.copy(escaped, node);
        }
        for node in signature.result.into_iter().flat_map(Nodes::iter) {
            self.copy(node, escaped);
        }
    }

    /// `argv`.
    fn arguments(&mut self) -> LocationId {
        let array = self.objects.intern(ObjectKind::Arguments, None, Shape::Flat, false);
        let strings = self.objects.intern(ObjectKind::ArgumentStrings, None, Shape::Flat, false);
        let (array_at, strings_at) = (self.objects.any(array), self.objects.any(strings));
        let word = self.word();
        self.constraints.initial.push((array, 0, word, strings_at));
        array_at
    }

    fn global(&mut self, id: GlobalId, offset: i64) -> LocationId {
        if self.seen_globals.insert(id) {
            self.waiting_globals.push(id);
        }
        let object = self.objects.global(id);
        self.objects.at(object, offset)
    }

    /// A function's address is taken: whoever gets hold of it may call it.
    fn function(&mut self, func: FuncId) -> LocationId {
        if self.taken.insert(func)
            && let Some(signature) = self.signature(func)
        {
            signature.params.iter().for_each(|&param| self.open(param));
        }
        let object = self.objects.func(func);
        self.objects.any(object)
    }

    fn initial(&mut self, id: GlobalId) {
        let program = self.program;
        let global = &program.globals[id];
        let object = self.objects.global(id);
        let Some(init) = &global.init else {
            return self.foreign(id);
        };
        let mut held = Vec::new();
        for &(offset, constant) in &init.relocs {
            held.clear();
            self.addresses(constant, &mut held);
            let width = program.types.store_size(program.consts.ty(constant)) as u32;
            let offset = i64::try_from(offset).unwrap_or(i64::MAX);
            for &location in &held {
                self.constraints.initial.push((object, offset, width, location));
            }
        }
    }

    /// A variable defined elsewhere: code we know nothing of has its address and decides its content.
    fn foreign(&mut self, id: GlobalId) {
        let object = self.objects.global(id);
        let word = self.word();
        match self.program.globals[id].name.as_str() {
            "stdin" | "stdout" | "stderr" => {
                let unknown = self.objects.any(self.objects.unknown);
                self.constraints.initial.push((object, 0, word, unknown));
            }
            "environ" | "__environ" => {
                let arguments = self.arguments();
                self.constraints.initial.push((object, 0, word, arguments));
            }
            _ => {
                let location = self.objects.any(object);
                self.address(self.world.escaped, location);
            }
        }
    }

    /// The nodes of a constant; none if it holds no address.
    pub(super) fn constant(&mut self, id: ConstId) -> Option<Nodes> {
        if let Some(&nodes) = self.consts.get(&id) {
            return nodes;
        }
        let nodes = self.constant_nodes(id);
        self.consts.insert(id, nodes);
        nodes
    }

    fn constant_nodes(&mut self, id: ConstId) -> Option<Nodes> {
        let program = self.program;
        let mut held = Vec::new();
        self.addresses(id, &mut held);
        if held.is_empty() {
            return None;
        }
        let nodes = self.make(program.consts.ty(id))?;
        if let Const::Aggregate(parts) = program.consts.get(id)
            && !matches!(program.types.get(program.consts.ty(id)), Type::Vector { .. })
            && nodes.len > 1
        {
            let mut leaf = 0;
            for &part in parts {
                let len = self.leaves.of(program, program.consts.ty(part)).len() as u32;
                if let (Some(from), Some(first)) = (self.constant(part), nodes.get(leaf)) {
                    super::calls::transfer(self, Some(from), Some(Nodes { first, len }));
                }
                leaf += len;
            }
            return Some(nodes);
        }
        for node in nodes.iter() {
            held.iter().for_each(|&location| self.address(node, location));
        }
        Some(nodes)
    }

    /// The addresses a constant holds or is computed from.
    fn addresses(&mut self, id: ConstId, out: &mut Vec<LocationId>) {
        let program = self.program;
        match program.consts.get(id) {
            &Const::Global { global, offset } => out.push(self.global(global, offset)),
            &Const::Func(func) => out.push(self.function(func)),
            Const::Aggregate(parts) => parts.iter().for_each(|&part| self.addresses(part, out)),
            Const::Unsupported(_) => out.push(self.objects.any(self.objects.unknown)),
            Const::Expr(expr) => {
                let from = out.len();
                let step = match *expr {
                    ConstExpr::Cast { value, .. } => {
                        self.addresses(value, out);
                        Step::default()
                    }
                    ConstExpr::Offset { base, offset } => {
                        self.addresses(base, out);
                        Step::by(offset)
                    }
                    ConstExpr::Binary { op, lhs, rhs } => {
                        self.addresses(lhs, out);
                        self.addresses(rhs, out);
                        match (op, program.consts.get(rhs)) {
                            (BinaryOp::Add, &Const::Int(by)) => Step::by(by as i64),
                            _ => Step::anywhere(),
                        }
                    }
                };
                let moved: Vec<LocationId> = out.drain(from..).collect();
                for location in moved {
                    self.objects.step(location, &step, out);
                }
            }
            Const::Int(_)
            | Const::Wide(_)
            | Const::Float(_)
            | Const::Null
            | Const::Zero
            | Const::Undef
            | Const::Poison
            | Const::Block { .. } => {}
        }
    }
}

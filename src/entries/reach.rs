//! What executions from a function can come to: the functions and variables that it mentions, those that these
//! mention, and so on. What only unknown code could call is not in it.

use crate::ir::{Callee, Const, ConstId, FuncId, GlobalId, Inst, Program};
use cranelift_entity::{EntitySet, SecondaryMap};

#[derive(Debug, Clone, Default)]
struct Mentioned {
    funcs: Vec<FuncId>,
    /// Those among them whose address is taken.
    named: Vec<FuncId>,
    globals: Vec<GlobalId>,
}

/// Who mentions whom.
#[derive(Debug)]
pub struct Reach<'p> {
    program: &'p Program,
    by_func: SecondaryMap<FuncId, Mentioned>,
    by_global: SecondaryMap<GlobalId, Mentioned>,
}

impl<'p> Reach<'p> {
    pub fn new(program: &'p Program) -> Self {
        let mut by_func: SecondaryMap<FuncId, Mentioned> = SecondaryMap::new();
        for (id, data) in &program.insts {
            let mentioned = &mut by_func[program.func_of(id)];
            if let Inst::Call { callee: Callee::Direct(func), .. } = data.inst {
                mentioned.funcs.push(func);
            }
            program.for_each_operand(&data.inst, |operand| {
                if let Some(constant) = operand.constant() {
                    mention(program, constant, mentioned);
                }
            });
        }
        let mut by_global: SecondaryMap<GlobalId, Mentioned> = SecondaryMap::new();
        for (id, global) in &program.globals {
            for &(_, constant) in global.init.iter().flat_map(|init| &init.relocs) {
                mention(program, constant, &mut by_global[id]);
            }
        }
        Reach { program, by_func, by_global }
    }

    /// Everything that executions from `func` can come to.
    fn all(&self, func: FuncId) -> (EntitySet<FuncId>, EntitySet<GlobalId>) {
        let (mut funcs, mut globals) = (EntitySet::new(), EntitySet::new());
        let (mut waiting, mut held) = (vec![func], Vec::new());
        funcs.insert(func);
        loop {
            let mentioned = if let Some(func) = waiting.pop() {
                &self.by_func[func]
            } else if let Some(global) = held.pop() {
                &self.by_global[global]
            } else {
                return (funcs, globals);
            };
            waiting.extend(mentioned.funcs.iter().copied().filter(|&func| funcs.insert(func)));
            held.extend(mentioned.globals.iter().copied().filter(|&g| globals.insert(g)));
        }
    }

    /// All functions that some other function or a variable mentions.
    pub fn mentioned(&self) -> EntitySet<FuncId> {
        let by_funcs = self.by_func.values().flat_map(|mentioned| &mentioned.funcs);
        let by_globals = self.by_global.values().flat_map(|mentioned| &mentioned.funcs);
        let mut all = EntitySet::new();
        by_funcs.chain(by_globals).for_each(|&func| {
            all.insert(func);
        });
        all
    }

    /// All functions of which a variable holds the address at the start, or some code mentions it otherwise than to call it.
    pub fn named(&self) -> EntitySet<FuncId> {
        let mut all = EntitySet::new();
        for mentioned in self.by_func.values().chain(self.by_global.values()) {
            mentioned.named.iter().for_each(|&func| {
                all.insert(func);
            });
        }
        all
    }

    pub fn funcs(&self, func: FuncId) -> EntitySet<FuncId> {
        self.all(func).0
    }

    pub fn globals(&self, func: FuncId) -> EntitySet<GlobalId> {
        self.all(func).1
    }

    /// How much code that is.
    pub fn instructions(&self, func: FuncId) -> usize {
        let all = self.funcs(func);
        let blocks = all.iter().flat_map(|func| self.program.funcs[func].blocks.iter());
        blocks.map(|block| self.program.blocks[block].insts.len()).sum()
    }
}

fn mention(program: &Program, constant: ConstId, into: &mut Mentioned) {
    let constant = program.consts.get(constant);
    match constant {
        Const::Global { global, .. } => into.globals.push(*global),
        Const::Func(func) => {
            into.funcs.push(*func);
            into.named.push(*func);
        }
        _ => {}
    }
    constant.for_each_part(|part| mention(program, part, into));
}

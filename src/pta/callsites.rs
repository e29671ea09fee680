//! Calls as the program writes them: direct ones are connected at once (to a clone of their own, if the
//! callee is an allocation wrapper), indirect ones wait for the solver.

use super::calls;
use super::constraints::{Actual, Call, Extent, Nodes, Sink};
use super::generate::{Frame, Generator};
use super::instructions::number;
use super::wrappers;
use crate::ir::{BinaryOp, Callee, CastOp, Def, FuncId, Inst, InstId, List, Operand};

impl<'p> Generator<'p> {
    /// Marks nodes that are given more while solving.
    pub(super) fn open(&mut self, nodes: Option<Nodes>) {
        for node in nodes.into_iter().flat_map(Nodes::iter) {
            self.constraints.traits[node].open = true;
        }
    }

    pub(super) fn call_record(
        &mut self,
        frame: &mut Frame<'_>,
        inst: InstId,
        args: List<Operand>,
        sized: bool,
    ) -> Call {
        let program = self.program;
        let operands = program.operands(args);
        let args = operands
            .iter()
            .map(|&arg| Actual {
                nodes: self.operand(frame, arg),
                ty: Some(program.operand_type(arg)),
                constant: number(program, arg),
            })
            .collect();
        let extents = match sized {
            true => operands.iter().map(|&arg| self.extent(frame, arg, 0)).collect(),
            false => Vec::new(),
        };
        let result = program.insts[inst].result.expand();
        Call {
            inst,
            context: frame.context,
            args,
            result: result.and_then(|result| self.value(frame, result)),
            extents,
            kept: false,
        }
    }

    pub(super) fn call_inst(
        &mut self,
        frame: &mut Frame<'_>,
        inst: InstId,
        callee: Callee,
        args: List<Operand>,
    ) {
        let program = self.program;
        match callee {
            Callee::Direct(func) => {
                let bare = program.funcs[func].blocks.is_empty();
                let call = self.call_record(frame, inst, args, bare);
                let clones =
                    self.wrappers.is(func) && frame.depth < wrappers::DEPTH && !frame.runs(func);
                if clones || self.applied.contains(&func) {
                    let args = program.operands(args);
                    let signature = match clones {
                        true => self.clone_for(frame, inst, func, args),
                        false => self.copy_for(inst, func, args),
                    };
                    self.world.edges.insert((inst, func));
                    calls::bind(self, &call, &signature);
                    return;
                }
                self.signature(func);
                if bare || self.world.told.contains(&func) {
                    self.open(call.result);
                }
                calls::connect(self, &call, func);
            }
            Callee::Indirect(target) => {
                let call = self.call_record(frame, inst, args, true);
                self.open(call.result);
                let carried = call.args.iter().filter_map(|arg| arg.nodes).collect::<Vec<_>>();
                let id = self.world.calls.push(call);
                for nodes in carried {
                    self.passed.extend(nodes.iter());
                }
                let callees: Vec<FuncId> = self.wrappers.called(program, inst).collect();
                for func in callees {
                    if self.may_clone(frame, func) {
                        let copy = self.clone_for(frame, inst, func, program.operands(args));
                        copy.params.iter().for_each(|&param| self.open(param));
                        self.world.own_copies.insert((id, func), copy);
                    }
                }
                if let Some(target) = self.pointer(frame, target) {
                    self.call(target, id);
                }
            }
        }
    }

    fn may_clone(&self, frame: &Frame<'_>, func: FuncId) -> bool {
        self.wrappers.is(func) && frame.depth < wrappers::DEPTH && !frame.runs(func)
    }

    /// How many bytes a size argument asks for. What would wrap in its type is not followed.
    pub(super) fn extent(&self, frame: &Frame<'_>, operand: Operand, depth: u32) -> Extent {
        let found = self.extent_without_wrapping(frame, operand, depth);
        match (found, self.width(operand)) {
            (Extent::Exactly(size), Some(bits)) if bits < 64 && size >> bits != 0 => {
                Extent::Unknown
            }
            (Extent::Exactly(_), None) => Extent::Unknown,
            _ => found,
        }
    }

    fn width(&self, operand: Operand) -> Option<u32> {
        let program = self.program;
        let ty = program.operand_type(operand);
        program.types.scalar_bits(ty, program.machine.pointer_bits)
    }

    fn extent_without_wrapping(&self, frame: &Frame<'_>, operand: Operand, depth: u32) -> Extent {
        let program = self.program;
        if let Some(size) = number(program, operand) {
            return Extent::Exactly(size);
        }
        let Some(value) = operand.value().filter(|_| depth < 8) else {
            return Extent::Unknown;
        };
        let inst = match program.values[value].def {
            Def::Param { index, .. } => {
                let given = frame.caller.and_then(|(caller, args)| {
                    Some(self.extent(caller, *args.get(index as usize)?, depth + 1))
                });
                let known = given.or_else(|| frame.given.get(index as usize).copied());
                return known.unwrap_or(Extent::Unknown);
            }
            Def::Inst(inst) => inst,
        };
        match *program.inst(inst) {
            Inst::Binary { op: BinaryOp::Mul, lhs, rhs } => {
                self.extent(frame, lhs, depth + 1).times(self.extent(frame, rhs, depth + 1))
            }
            Inst::Binary { op: BinaryOp::Shl, lhs, rhs } => match number(program, rhs) {
                Some(by @ 0..32) => {
                    self.extent(frame, lhs, depth + 1).times(Extent::Exactly(1 << by))
                }
                _ => Extent::Unknown,
            },
            Inst::Binary { op: BinaryOp::Add, lhs, rhs } => {
                self.extent(frame, lhs, depth + 1).plus(self.extent(frame, rhs, depth + 1))
            }
            Inst::Cast { op: op @ (CastOp::ZExt | CastOp::SExt | CastOp::Trunc), value } => {
                let is_negative = |size: u64| {
                    op == CastOp::SExt
                        && self.width(value).is_none_or(|bits| size >> (bits - 1).min(63) != 0)
                };
                match self.extent(frame, value, depth + 1) {
                    Extent::Exactly(size) if is_negative(size) => Extent::Unknown,
                    found => found,
                }
            }
            _ => Extent::Unknown,
        }
    }
}

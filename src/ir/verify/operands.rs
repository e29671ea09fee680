//! Stage 5: each instruction's operands and result have the types it asks for.

use super::typing::{self, Typing, is_float, is_int, is_int_or_pointer, lanes, lanes_are};
use super::{Report, ensure};
use crate::ir::consts::Const;
use crate::ir::ids::{FuncId, InstId, TypeId};
use crate::ir::inst::{Callee, Inst, Operand, PureOp, RmwOp};
use crate::ir::print::type_text;
use crate::ir::program::Program;
use crate::ir::types::Type;
use rustc_hash::FxHashSet;

type Found = Result<(), String>;

pub(super) fn check(report: &mut Report<'_>) {
    let p = report.program;
    for (id, value) in &p.values {
        let found = ensure(*p.types.get(value.ty) != Type::Void, || "is of type void".to_owned());
        report.check(found, |_| format!("value {id}"));
    }
    for (id, data) in &p.insts {
        let result = data.result.expand().map(|result| p.values[result].ty);
        report.check_inst(Typing { p, result }.inst(id, &data.inst), id);
    }
}

/// Whether a call with these types of arguments and of the result may be a direct call of `callee`:
/// every parameter gets an argument of its type, and the result, unless it is ignored, has the
/// callee's type. The front end makes any other call an indirect one.
pub fn binds(
    p: &Program,
    callee: FuncId,
    mut args: impl ExactSizeIterator<Item = TypeId>,
    result: Option<TypeId>,
) -> Result<(), String> {
    let func = &p.funcs[callee];
    let (given, wanted) = (args.len(), func.params.len());
    ensure(given >= wanted, || {
        format!("passes {given} arguments, but @{} has {wanted} parameters", func.name)
    })?;
    for (index, param) in func.params.iter().enumerate() {
        let (arg, param) = (args.next(), p.values[param].ty);
        ensure(arg == Some(param), || {
            let arg = arg.map_or_else(String::new, |arg| type_text(p, arg));
            format!(
                "argument {index} is of type {arg}, but that parameter of @{} is of type {}",
                func.name,
                type_text(p, param)
            )
        })?;
    }
    ensure(result.is_none_or(|result| result == func.result), || {
        format!(
            "its result is not of the type {} that @{} returns",
            type_text(p, func.result),
            func.name
        )
    })
}

impl Typing<'_> {
    fn inst(&self, id: InstId, inst: &Inst) -> Found {
        let p = self.p;
        match *inst {
            Inst::Binary { op, lhs, rhs } => {
                let ty = self.same(lhs, rhs)?;
                typing::binary(p, op, ty)?;
                self.gives(ty)
            }
            Inst::Overflow { lhs, rhs, .. } => {
                let ty = self.same(lhs, rhs)?;
                lanes_are(p, ty, is_int, "integers")?;
                self.gives_truth_of(ty)
            }
            Inst::IntCmp { lhs, rhs, .. } => {
                let ty = self.same(lhs, rhs)?;
                lanes_are(p, ty, is_int_or_pointer, "integers or pointers")?;
                self.gives_truth_of(ty)
            }
            Inst::FloatCmp { lhs, rhs, .. } => {
                let ty = self.same(lhs, rhs)?;
                lanes_are(p, ty, is_float, "floats")?;
                self.gives_truth_of(ty)
            }
            Inst::Cast { op, value } => {
                typing::cast(p, op, p.operand_type(value), self.gives_value()?)
            }
            Inst::Pure { op, args } => self.pure(op, p.operands(args)),
            Inst::Select { cond, then, els } => {
                let ty = self.same(then, els)?;
                match lanes(p, p.operand_type(cond)) {
                    (Type::Int(1), None) => {}
                    (Type::Int(1), count) if count == lanes(p, ty).1 => {}
                    _ => return Err("its condition is no truth value of that shape".to_owned()),
                }
                self.gives(ty)
            }
            Inst::Freeze { value } => self.gives(p.operand_type(value)),
            Inst::Phi { incoming } => {
                let ty = self.gives_value()?;
                p.phi_pool.get(incoming).iter().try_for_each(|&(_, value)| self.is(value, ty))
            }
            Inst::Extract { aggregate, path } => self.gives(self.leaf(aggregate, path)?),
            Inst::Insert { aggregate, value, path } => {
                self.is(value, self.leaf(aggregate, path)?)?;
                self.gives(p.operand_type(aggregate))
            }
            Inst::ExtractElement { vector, index } => {
                self.int(index)?;
                self.gives(self.vector(vector)?.0)
            }
            Inst::InsertElement { vector, value, index } => {
                self.int(index)?;
                self.is(value, self.vector(vector)?.0)?;
                self.gives(p.operand_type(vector))
            }
            Inst::Shuffle { lhs, rhs, mask } => {
                self.same(lhs, rhs)?;
                let (elem, len) = self.vector(lhs)?;
                let mask = p.index_pool.get(mask);
                let exists =
                    |&lane: &u32| lane == u32::MAX || u64::from(lane) < len.saturating_mul(2);
                ensure(mask.iter().all(exists), || {
                    "its mask names a lane that is not there".into()
                })?;
                let expected = Type::Vector { elem, len: mask.len() as u64 };
                ensure(*p.types.get(self.gives_value()?) == expected, || {
                    "its result is not of the mask's length or the operands' type".to_owned()
                })
            }
            Inst::Uninit => self.gives_value().map(drop),

            Inst::Alloca { elem, count, align } => {
                ensure(align == 0 || align.is_power_of_two(), || {
                    format!("the alignment {align} is no power of two")
                })?;
                ensure(*p.types.get(elem) != Type::Void, || "allocates elements of void".into())?;
                self.int(count)?;
                self.gives_pointer()
            }
            Inst::Load { ptr, .. } => {
                self.pointer(ptr)?;
                self.gives_value().map(drop)
            }
            Inst::Store { ptr, .. } => {
                self.pointer(ptr)?;
                self.gives_nothing()
            }
            Inst::Gep { base, terms, .. } => {
                self.pointer(base)?;
                p.term_pool.get(terms).iter().try_for_each(|term| self.int(term.index))?;
                self.gives_pointer()
            }
            Inst::MemCopy { dst, src, len, .. } => {
                self.pointer(dst)?;
                self.pointer(src)?;
                self.int(len)?;
                self.gives_nothing()
            }
            Inst::MemSet { dst, byte, len, .. } => {
                self.pointer(dst)?;
                self.bits(byte, 8)?;
                self.int(len)?;
                self.gives_nothing()
            }
            Inst::AtomicRmw { op, ptr, value } => {
                self.pointer(ptr)?;
                self.rmw(op, value)?;
                self.gives(p.operand_type(value))
            }
            Inst::CmpXchg { ptr, expected, new, .. } => {
                self.pointer(ptr)?;
                let ty = self.same(expected, new)?;
                ensure(is_int_or_pointer(p.types.get(ty)), || {
                    format!("exchanges integers or pointers, not {}", type_text(p, ty))
                })?;
                let pair = match p.types.get(self.gives_value()?) {
                    Type::Struct { fields } => &fields[..],
                    _ => &[],
                };
                let fits = matches!(pair, [old, success]
                    if old.ty == ty && *p.types.get(success.ty) == Type::Int(1));
                ensure(fits, || "its result is no struct of the old value and an i1".to_owned())
            }
            Inst::Fence => self.gives_nothing(),
            Inst::LifetimeStart { object: ptr }
            | Inst::LifetimeEnd { object: ptr }
            | Inst::StackRestore { saved: ptr }
            | Inst::VaStart { list: ptr }
            | Inst::VaEnd { list: ptr } => {
                self.pointer(ptr)?;
                self.gives_nothing()
            }
            Inst::StackSave => self.gives_pointer(),
            Inst::VaCopy { dst, src } => {
                self.pointer(dst)?;
                self.pointer(src)?;
                self.gives_nothing()
            }
            Inst::VaArg { list } => {
                self.pointer(list)?;
                self.gives_value().map(drop)
            }

            Inst::Call { callee: Callee::Indirect(target), .. } => self.pointer(target),
            Inst::Call { callee: Callee::Direct(func), args } => {
                let args = p.operands(args).iter().map(|&arg| p.operand_type(arg));
                binds(p, func, args, self.result)
            }
            Inst::Check { cond, .. } | Inst::Assume { cond } => {
                self.bits(cond, 1)?;
                self.gives_nothing()
            }
            Inst::Unsupported { .. } => Ok(()),

            Inst::Jump { .. } | Inst::Unreachable => self.gives_nothing(),
            Inst::Branch { cond, .. } => {
                self.bits(cond, 1)?;
                self.gives_nothing()
            }
            Inst::Switch { value, cases, .. } => {
                self.int(value)?;
                let ty = p.operand_type(value);
                let mut seen = FxHashSet::default();
                for &(case, _) in p.case_pool.get(cases) {
                    self.is(Operand::Const(case), ty)?;
                    let is_int = matches!(p.consts.get(case), Const::Int(_) | Const::Wide(_));
                    ensure(is_int, || format!("the case {case} is no plain integer"))?;
                    ensure(seen.insert(case), || format!("the case {case} occurs twice"))?;
                }
                self.gives_nothing()
            }
            Inst::IndirectJump { address, .. } => {
                self.pointer(address)?;
                self.gives_nothing()
            }
            Inst::Return { value } => {
                let func = &p.funcs[p.func_of(id)];
                let void = *p.types.get(func.result) == Type::Void;
                ensure(void == value.is_none(), || {
                    format!("@{} returns {}", func.name, type_text(p, func.result))
                })?;
                value.map_or(Ok(()), |value| self.is(value, func.result))?;
                self.gives_nothing()
            }
        }
    }

    fn pure(&self, op: PureOp, args: &[Operand]) -> Found {
        let p = self.p;
        let (count, float) = match op {
            PureOp::FNeg
            | PureOp::FAbs
            | PureOp::FSqrt
            | PureOp::FFloor
            | PureOp::FCeil
            | PureOp::FTrunc
            | PureOp::FRound
            | PureOp::FRint => (1, true),
            PureOp::FMin | PureOp::FMax | PureOp::FCopySign => (2, true),
            PureOp::FMulAdd => (3, true),
            PureOp::Abs
            | PureOp::BSwap
            | PureOp::BitReverse
            | PureOp::CtPop
            | PureOp::Ctlz
            | PureOp::Cttz => (1, false),
            PureOp::SMin
            | PureOp::SMax
            | PureOp::UMin
            | PureOp::UMax
            | PureOp::SAddSat
            | PureOp::UAddSat
            | PureOp::SSubSat
            | PureOp::USubSat => (2, false),
            PureOp::FShl | PureOp::FShr => (3, false),
            PureOp::FIsClass => {
                let &[value, mask] = args else { return Err("takes 2 operands".to_owned()) };
                lanes_are(p, p.operand_type(value), is_float, "floats")?;
                self.int(mask)?;
                ensure(mask.constant().is_some(), || "its mask is no constant".to_owned())?;
                return self.gives_truth_of(p.operand_type(value));
            }
            PureOp::PtrMask => {
                let &[ptr, mask] = args else { return Err("takes 2 operands".to_owned()) };
                self.pointer(ptr)?;
                self.int(mask)?;
                return self.gives_pointer();
            }
        };
        let ty = self.gives_value()?;
        ensure(args.len() == count, || format!("takes {count} operands, not {}", args.len()))?;
        args.iter().try_for_each(|&arg| self.is(arg, ty))?;
        let (is, what): (fn(&Type) -> bool, _) =
            if float { (is_float, "floats") } else { (is_int, "integers") };
        lanes_are(p, ty, is, what)
    }

    fn rmw(&self, op: RmwOp, value: Operand) -> Found {
        let ty = self.p.types.get(self.p.operand_type(value));
        let fits = match op {
            RmwOp::Xchg => matches!(ty, Type::Int(_) | Type::Ptr | Type::Float(_)),
            RmwOp::Add
            | RmwOp::Sub
            | RmwOp::And
            | RmwOp::Nand
            | RmwOp::Or
            | RmwOp::Xor
            | RmwOp::Max
            | RmwOp::Min
            | RmwOp::UMax
            | RmwOp::UMin
            | RmwOp::UIncWrap
            | RmwOp::UDecWrap => is_int(ty),
            RmwOp::FAdd | RmwOp::FSub | RmwOp::FMax | RmwOp::FMin => is_float(ty),
        };
        ensure(fits, || format!("does not work on {}", self.type_of(value)))
    }
}

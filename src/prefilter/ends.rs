//! Calls that do not come back, because no function they may run ever returns: each of its ways ends in `exit`, in a
//! jump to elsewhere, or in another such call.
//!
//! Functions are taken not to return until a way to a return is found that has no such call on it: the least set of
//! those that return. An execution comes back from a call only by a return, and the call that comes back first inside one that
//! does is in the set before it, so nothing is behind such a call. A second return of `setjmp` is behind the call of
//! `setjmp`, not behind the one that jumped.

use crate::ir::{FuncId, Inst, InstId, Program};
use crate::pta::PointsTo;
use crate::svfg::modref::Calls;
use rustc_hash::{FxHashMap, FxHashSet};

/// Functions of the C library that never return.
const ENDS: &[&str] = &[
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "abort",
    "__assert_fail",
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "__longjmp_chk",
];

/// The calls of functions that may run that never come back.
pub fn ends(program: &Program, points_to: &PointsTo) -> FxHashSet<InstId> {
    let mut callers: FxHashMap<FuncId, Vec<FuncId>> = FxHashMap::default();
    let calls = Calls::new(program, points_to);
    for &func in &points_to.reachable {
        for inst in super::whole::insts(program, func) {
            calls.of(inst).for_each(|callee| callers.entry(callee).or_default().push(func));
        }
    }
    // What runs where C gives a call no meaning may come back.
    let garbled: FxHashSet<InstId> = points_to.filtered.iter().map(|&(call, _)| call).collect();
    let mut returns: FxHashSet<FuncId> = FxHashSet::default();
    let mut waiting: Vec<FuncId> = points_to.reachable.iter().rev().copied().collect();
    while let Some(func) = waiting.pop() {
        if !returns.contains(&func) && may_return(program, points_to, func, &returns, &garbled) {
            returns.insert(func);
            waiting.extend(callers.get(&func).into_iter().flatten());
        }
    }
    let insts = points_to.reachable.iter().flat_map(|&func| super::whole::insts(program, func));
    insts.filter(|&inst| never_returns(program, points_to, inst, &returns, &garbled)).collect()
}

/// Whether a call never comes back, if these are the functions that return.
fn never_returns(
    program: &Program,
    points_to: &PointsTo,
    call: InstId,
    returns: &FxHashSet<FuncId>,
    garbled: &FxHashSet<InstId>,
) -> bool {
    if !matches!(program.insts[call].inst, Inst::Call { .. }) || garbled.contains(&call) {
        return false;
    }
    let callees = points_to.callees(call);
    let never = |&func: &FuncId| match program.funcs[func].blocks.is_empty() {
        true => ENDS.contains(&program.funcs[func].name.as_str()),
        false => !returns.contains(&func),
    };
    !callees.unknown && !callees.funcs.is_empty() && callees.funcs.iter().all(never)
}

/// Whether a return can be come to without such a call.
fn may_return(
    program: &Program,
    points_to: &PointsTo,
    func: FuncId,
    returns: &FxHashSet<FuncId>,
    garbled: &FxHashSet<InstId>,
) -> bool {
    let mut seen = FxHashSet::default();
    let mut waiting: Vec<_> = program.funcs[func].blocks.first().into_iter().collect();
    while let Some(block) = waiting.pop() {
        if !seen.insert(block) {
            continue;
        }
        let insts = program.blocks[block].insts.iter();
        let stops = |inst: InstId| never_returns(program, points_to, inst, returns, garbled);
        let mut goes_on = true;
        for inst in insts {
            match program.insts[inst].inst {
                Inst::Return { .. } => return true,
                // What is not understood may do anything.
                Inst::Unsupported { .. } => return true,
                Inst::Call { .. } if stops(inst) => {
                    goes_on = false;
                    break;
                }
                _ => {}
            }
        }
        if goes_on {
            waiting.extend(program.successors(block));
        }
    }
    false
}

//! Conditions without some of their variables: what follows from them about the others. What equals a variable takes its place;
//! what bounds it from below is below what bounds it from above; the rest is left out.
//!
//! Invariant: values that satisfy the conditions satisfy what is returned.

use crate::smt::{ExprId, Op, Pool, VarId};
use rustc_hash::FxHashMap;

/// Pairs of bounds of one variable that are put together.
const MOST_PAIRS: usize = 16;

/// A comparison of a variable with something else.
struct Bound {
    other: ExprId,
    is_below: bool,
    is_strict: bool,
    is_signed: bool,
}

/// What `conditions` say of the variables for which `is_kept`.
pub(super) fn without(
    pool: &mut Pool,
    conditions: &[ExprId],
    is_kept: impl Fn(VarId) -> bool,
) -> Vec<ExprId> {
    let mut left = conditions.to_vec();
    for var in pool.free_vars(conditions) {
        if !is_kept(var) {
            left = without_one(pool, &left, var);
        }
    }
    left.retain(|&condition| pool.as_const(condition) != Some(1));
    left
}

fn without_one(pool: &mut Pool, conditions: &[ExprId], var: VarId) -> Vec<ExprId> {
    let own = pool.var_expr(var);
    let has = |pool: &Pool, e: ExprId| pool.free_vars(&[e]).contains(&var);
    let (about, mut left): (Vec<ExprId>, Vec<ExprId>) =
        conditions.iter().partition(|&&condition| has(pool, condition));
    let equal = about.iter().find_map(|&condition| {
        let node = pool.node(condition);
        let (a, b) = (node.op == Op::Eq).then(|| (node.child(0), node.child(1)))?;
        let other = if a == own { b } else { a };
        ((a == own || b == own) && !has(pool, other)).then_some(other)
    });
    if let Some(equal) = equal {
        let binding = FxHashMap::from_iter([(var, equal)]);
        left.extend(about.iter().map(|&condition| pool.substitute(condition, &binding)));
        return left;
    }
    let bounds: Vec<Bound> =
        about.iter().filter_map(|&condition| bound(pool, condition, own)).collect();
    let bounds: Vec<Bound> = bounds.into_iter().filter(|b| !has(pool, b.other)).collect();
    let mut pairs = 0;
    for low in bounds.iter().filter(|bound| bound.is_below) {
        for high in bounds.iter().filter(|bound| !bound.is_below) {
            if low.is_signed == high.is_signed && pairs < MOST_PAIRS {
                pairs += 1;
                let is_strict = low.is_strict || high.is_strict;
                left.push(match (low.is_signed, is_strict) {
                    (true, true) => pool.slt(low.other, high.other),
                    (true, false) => pool.sle(low.other, high.other),
                    (false, true) => pool.ult(low.other, high.other),
                    (false, false) => pool.ule(low.other, high.other),
                });
            }
        }
    }
    left
}

/// What a comparison says of `own`, if it is one side of it.
fn bound(pool: &Pool, condition: ExprId, own: ExprId) -> Option<Bound> {
    let node = pool.node(condition);
    let is_not = node.op == Op::Not;
    let node = if is_not { pool.node(node.child(0)) } else { node };
    let is_signed = match node.op {
        Op::Slt => true,
        Op::Ult => false,
        _ => return None,
    };
    let (a, b) = (node.child(0), node.child(1));
    let other = match (a == own, b == own) {
        (true, false) => b,
        (false, true) => a,
        _ => return None,
    };
    // The contrary of a < b is b <= a.
    Some(Bound { other, is_below: (b == own) != is_not, is_strict: !is_not, is_signed })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smt::Sort;

    /// Whatever satisfies the conditions satisfies what is left of them.
    #[test]
    fn what_is_left_follows() {
        let mut pool = Pool::default();
        let [x, y, z] = ["x", "y", "z"].map(|name| pool.var(name, Sort::Bits(3)));
        let gone = pool.node(y).var();
        let comparisons = [Pool::slt, Pool::sle, Pool::ult, Pool::ule, Pool::eq];
        for first in comparisons {
            for second in comparisons {
                for is_not in [false, true] {
                    let mut low = first(&mut pool, x, y);
                    if is_not {
                        low = pool.not(low);
                    }
                    let conditions = [low, second(&mut pool, y, z)];
                    let left = without(&mut pool, &conditions, |var| var != gone);
                    assert!(!pool.free_vars(&left).contains(&gone));
                    for bits in 0..512u128 {
                        let values = [(x, bits & 7), (y, bits >> 3 & 7), (z, bits >> 6)];
                        let binding = FxHashMap::from_iter(
                            values.map(|(e, n)| (pool.node(e).var(), pool.constant(n, 3))),
                        );
                        let mut holds = |e| {
                            let now = pool.substitute(e, &binding);
                            pool.as_const(now) == Some(1)
                        };
                        if conditions.into_iter().all(&mut holds) {
                            assert!(left.iter().copied().all(&mut holds), "{values:?}");
                        }
                    }
                }
            }
        }
    }
}

//! Exact evaluation. A [`Tape`] is a set of expressions laid out once, so that it can be run for
//! many assignments; bytes are never built, a read walks back over the stores instead.

use super::expr::{ExprId, Node, Op, Pool, VarId};
use super::fold::fold;
use super::value::Model;
use rustc_hash::FxHashMap;

#[derive(Debug)]
struct Step {
    node: Node,
    /// The children's places on the tape.
    children: [u32; 3],
    /// The first child's width.
    width: u32,
    constant: u128,
}

#[derive(Debug)]
pub struct Tape {
    steps: Vec<Step>,
    roots: Vec<u32>,
    values: Vec<u128>,
}

impl Tape {
    pub fn new(pool: &Pool, roots: &[ExprId]) -> Tape {
        let order = pool.reachable(roots);
        let mut place = FxHashMap::default();
        let mut steps = Vec::with_capacity(order.len());
        for e in order {
            let node = pool.node(e);
            let mut children = [0; 3];
            for (slot, c) in children.iter_mut().zip(node.children()) {
                *slot = *place.get(&c).unwrap_or(&0);
            }
            let width = if node.arity() > 0 { pool.width(node.child(0)) } else { 0 };
            let constant = pool.as_const(e).unwrap_or(0);
            place.insert(e, steps.len() as u32);
            steps.push(Step { node, children, width, constant });
        }
        let roots = roots.iter().map(|e| *place.get(e).unwrap_or(&0)).collect();
        let values = vec![0; steps.len()];
        Tape { steps, roots, values }
    }

    pub fn len(&self) -> usize {
        self.steps.len()
    }

    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The roots' values; `None` if some operation has no exact answer.
    pub fn run(&mut self, model: &Model) -> Option<impl Iterator<Item = u128> + '_> {
        self.run_with(|v| model.bits(v), |v, i| model.byte(v, i))
    }

    pub fn run_with(
        &mut self,
        bits: impl Fn(VarId) -> u128,
        byte: impl Fn(VarId, u128) -> u8,
    ) -> Option<impl Iterator<Item = u128> + '_> {
        for i in 0..self.steps.len() {
            let step = &self.steps[i];
            let value = match step.node.op {
                Op::Const => step.constant,
                Op::Var if step.node.width() > 0 => bits(step.node.var()),
                Op::Select => u128::from(self.read(step, &byte)),
                _ if step.node.width() == 0 => 0,
                _ => {
                    let args = step.children.map(|c| self.values[c as usize]);
                    fold(&step.node, args, step.width)?
                }
            };
            self.values[i] = value;
        }
        Some(self.roots.iter().map(|&r| self.values[r as usize]))
    }

    fn read(&self, select: &Step, byte: &impl Fn(VarId, u128) -> u8) -> u8 {
        let value = |place: u32| self.values[place as usize];
        let index = value(select.children[1]);
        let mut at = &self.steps[select.children[0] as usize];
        loop {
            let next = match at.node.op {
                Op::Store if value(at.children[1]) == index => return value(at.children[2]) as u8,
                Op::Store => at.children[0],
                Op::Ite if value(at.children[0]) != 0 => at.children[1],
                Op::Ite => at.children[2],
                Op::ConstBytes => return value(at.children[0]) as u8,
                _ => return byte(at.node.var(), index),
            };
            at = &self.steps[next as usize];
        }
    }
}

impl Pool {
    /// The value of a vector under the model; `None` if some operation in it has no exact answer.
    pub fn eval(&self, e: ExprId, model: &Model) -> Option<u128> {
        let mut tape = Tape::new(self, &[e]);
        tape.run(model)?.next()
    }

    /// All hold under the model, for sure.
    pub fn all_hold(&self, conditions: &[ExprId], model: &Model) -> bool {
        let mut tape = Tape::new(self, conditions);
        tape.run(model).is_some_and(|mut values| values.all(|v| v == 1))
    }
}

//! Many claims at once: which of them follow, given that all that are left hold before. Everything is laid out
//! for Z3 once; from question to question only what is assumed changes.

use super::read_model;
use super::term::Terms;
use crate::smt::expr::{ExprId, Pool};
use crate::smt::query::{Claim, Filtered, Limits};
use crate::watch::Deadline;
use std::panic::{AssertUnwindSafe, catch_unwind};
use z3::ast::Bool;

/// The claims that follow from `fixed` and the premises of the claims that are left. A claim that is left out
/// is refuted, or open if Z3 does not know.
pub fn filter(
    pool: &Pool,
    fixed: &[ExprId],
    claims: &[Claim],
    limits: &Limits,
    deadline: Deadline,
) -> Filtered {
    let attempt = catch_unwind(AssertUnwindSafe(|| {
        let roots: Vec<ExprId> = fixed
            .iter()
            .copied()
            .chain(claims.iter().flat_map(|claim| claim.premise.into_iter().chain(claim.image)))
            .collect();
        let terms = Terms::new(pool, &roots).ok()?;
        Some(Session::new(pool, terms, roots, fixed, claims, limits).run(deadline))
    }));
    let all_open = || Filtered { kept: Vec::new(), open: (0..claims.len()).collect() };
    attempt.ok().flatten().unwrap_or_else(all_open)
}

struct Session<'a> {
    pool: &'a Pool,
    terms: Terms<'a>,
    roots: Vec<ExprId>,
    claims: &'a [Claim],
    solver: z3::Solver,
    /// Let the premise of each claim hold …
    holds: Vec<Option<Bool>>,
    /// … and say that its image does not.
    fails: Vec<Option<Bool>>,
    questions: usize,
}

enum Said {
    Follows,
    /// It does not of these.
    Refuted(Vec<usize>),
    Unknown,
}

impl<'a> Session<'a> {
    fn new(
        pool: &'a Pool,
        terms: Terms<'a>,
        roots: Vec<ExprId>,
        fixed: &[ExprId],
        claims: &'a [Claim],
        limits: &Limits,
    ) -> Self {
        let solver = z3::Solver::new();
        let mut params = z3::Params::new();
        super::interruptible(&mut params);
        params.set_u32("rlimit", limits.work);
        params.set_u32("timeout", limits.milliseconds);
        params.set_u32("max_memory", limits.megabytes);
        solver.set_params(&params);
        for &e in fixed {
            solver.assert(terms.truth(e));
        }
        let switch = |name: String, on: Bool| {
            let switch = Bool::new_const(name);
            solver.assert(switch.implies(&on));
            switch
        };
        let (mut holds, mut fails) = (Vec::new(), Vec::new());
        for (index, claim) in claims.iter().enumerate() {
            let premise = claim.premise.map(|e| terms.truth(e));
            holds.push(premise.map(|on| switch(format!("p{index}"), on)));
            let image = claim.image.map(|e| terms.truth(e).not());
            fails.push(image.map(|on| switch(format!("n{index}"), on)));
        }
        Session { pool, terms, roots, claims, solver, holds, fails, questions: 0 }
    }

    fn run(&mut self, deadline: Deadline) -> Filtered {
        let mut left: Vec<usize> = (0..self.claims.len()).collect();
        while !deadline.is_over() {
            match self.ask(&left) {
                Said::Follows => return Filtered { kept: left, open: Vec::new() },
                Said::Refuted(which) => left.retain(|index| !which.contains(index)),
                Said::Unknown => break,
            }
        }
        let is_open = |&index: &usize| self.claims[index].image.is_some();
        let (open, kept) = left.into_iter().partition(is_open);
        Filtered { kept, open }
    }

    /// Whether the images of `left` follow if their premises hold.
    fn ask(&mut self, left: &[usize]) -> Said {
        let fails: Vec<Bool> = left.iter().filter_map(|&i| self.fails[i].clone()).collect();
        if fails.is_empty() {
            return Said::Follows;
        }
        self.questions += 1;
        let question = Bool::new_const(format!("q{}", self.questions));
        self.solver.assert(question.implies(Bool::or(&fails)));
        let mut assumed: Vec<Bool> =
            left.iter().filter_map(|&index| self.holds[index].clone()).collect();
        assumed.push(question);
        match self.solver.check_assumptions(&assumed) {
            z3::SatResult::Unsat => Said::Follows,
            z3::SatResult::Unknown => Said::Unknown,
            z3::SatResult::Sat => {
                let model = read_model(self.pool, &self.terms, &self.roots, &self.solver);
                let Some(model) = model else { return Said::Unknown };
                let is_refuted = |&index: &usize| {
                    let image = self.claims[index].image;
                    image.is_some_and(|image| self.pool.eval(image, &model) == Some(0))
                };
                let which: Vec<usize> = left.iter().copied().filter(is_refuted).collect();
                if which.is_empty() { Said::Unknown } else { Said::Refuted(which) }
            }
        }
    }
}

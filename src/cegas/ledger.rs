//! The obligations under way. Those of the user's code are known from the start; a call of a library function's
//! model becomes one when it is met, and answers for everything demanded inside the model.

use super::marks::Mark;
use crate::ir::InstId;
use crate::rules::Obligation;
use rustc_hash::FxHashMap;

#[derive(Debug)]
pub(super) struct Ledger {
    obligations: Vec<Obligation>,
    /// The obligations of each instruction of the user's code.
    by_site: FxHashMap<InstId, Vec<usize>>,
}

impl Ledger {
    pub fn new(obligations: Vec<Obligation>) -> Ledger {
        let mut by_site: FxHashMap<InstId, Vec<usize>> = FxHashMap::default();
        for (index, obligation) in obligations.iter().enumerate() {
            by_site.entry(obligation.at).or_default().push(index);
        }
        Ledger { obligations, by_site }
    }

    pub fn len(&self) -> usize {
        self.obligations.len()
    }

    pub fn get(&self, index: usize) -> Obligation {
        self.obligations[index]
    }

    pub fn into_obligations(self) -> Vec<Obligation> {
        self.obligations
    }

    /// The obligation that answers for a demand at a place of the user's code.
    pub fn index(&mut self, mark: Mark, site: InstId) -> usize {
        let here = self.by_site.entry(site).or_default();
        let same = |&index: &usize| self.obligations[index].rule == mark.rule;
        let exact = |&index: &usize| {
            let obligation = self.obligations[index];
            obligation.rule == mark.rule && obligation.demand == mark.demand
        };
        let known = here.iter().copied().find(exact).or(here.iter().copied().find(same));
        known.unwrap_or_else(|| {
            let index = self.obligations.len();
            here.push(index);
            let Mark { rule, demand } = mark;
            self.obligations.push(Obligation { rule, at: site, demand });
            index
        })
    }
}

//! What came out for the whole scan: its verdict, its findings and how the process ends.

use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashMap};
use serde::Serialize;

use super::{Cause, Obligation, Report, Target, Verdict};
use crate::config::{FailOn, Settings};
use crate::exit::Exit;

/// What came out for the whole scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Overall {
    /// Every obligation is proved, and nothing was left out.
    Safe,
    /// At least one obligation is violated.
    Unsafe,
    /// Anything else.
    Unknown,
}

impl Overall {
    /// As it is written in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
            Self::Unknown => "unknown",
        }
    }
}

impl Report {
    /// The verdict on everything that was scanned.
    pub fn verdict(&self) -> Overall {
        // What callers might do that nobody knows is not a violation yet.
        if self.violated().any(|o| !o.is_assumed()) {
            return Overall::Unsafe;
        }
        let proved = self.obligations.iter().all(|o| o.verdict == Verdict::Safe);
        let whole = self.checked && !self.is_partial() && self.skipped.is_empty();
        if whole && proved { Overall::Safe } else { Overall::Unknown }
    }

    /// Whether something that should have been analysed could not be.
    pub fn is_partial(&self) -> bool {
        let is_partial = |target: &Target| target.failure.is_some() || !target.missing.is_empty();
        !self.failed.is_empty() || self.targets.iter().any(is_partial)
    }

    /// Whether nothing that should have been looked at was left out.
    pub fn is_whole(&self) -> bool {
        self.checked && !self.is_partial()
    }

    /// The findings to be told: violations that nobody silenced.
    pub fn findings(&self) -> impl Iterator<Item = &Obligation> {
        self.violated().filter(|o| o.silenced.is_none())
    }

    /// Everything that is violated.
    pub fn violated(&self) -> impl Iterator<Item = &Obligation> {
        self.obligations.iter().filter(|o| o.verdict == Verdict::Unsafe)
    }

    /// How the process ends after this report.
    pub fn exit(&self, settings: &Settings) -> Exit {
        let unknown =
            |o: &Obligation| matches!(o.verdict, Verdict::Unknown { .. }) && o.silenced.is_none();
        // A dump decides nothing, so nothing is missing; nor is it where there is nothing to scan.
        let is_unasked = !self.checked && !self.targets.is_empty();
        let undecided =
            || self.dump.is_none() && (is_unasked || self.obligations.iter().any(unknown));
        let suspected = |o: &Obligation| {
            let doubt = matches!(o.verdict, Verdict::Unknown { cause: Cause::Doubt, .. });
            let assumed = o.verdict == Verdict::Unsafe && o.is_assumed();
            (doubt || assumed) && o.silenced.is_none()
        };
        let fails = |fail_on: FailOn| match fail_on {
            FailOn::Error => false,
            FailOn::Warning => self.obligations.iter().any(suspected),
            FailOn::Unknown => undecided() || self.findings().next().is_some(),
        };
        if settings.exit_zero {
            Exit::Clean
        } else if self.dump_failed
            || self.findings().any(|o| !o.is_assumed())
            || fails(settings.fail_on)
        {
            Exit::Findings
        } else if self.is_partial() {
            Exit::Partly
        } else {
            Exit::Clean
        }
    }

    /// Makes one obligation of those that several targets share: what is asked, where, and what came of it. A target
    /// may ask the same twice at one place.
    pub fn share_obligations(&mut self) {
        let mut known: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        let mut shared: Vec<Obligation> = Vec::with_capacity(self.obligations.len());
        for obligation in self.obligations.drain(..) {
            let Obligation { rule, location, message, .. } = &obligation;
            let equal = known.entry(FxBuildHasher.hash_one((rule, location, message))).or_default();
            let is_it = |&&index: &&usize| shares(&shared[index], &obligation);
            match equal.iter().find(is_it) {
                Some(&index) => shared[index].targets.extend(obligation.targets),
                None => {
                    equal.push(shared.len());
                    shared.push(obligation);
                }
            }
        }
        self.obligations = shared;
    }
}

/// Whether two obligations say the same of different targets.
fn shares(one: &Obligation, other: &Obligation) -> bool {
    (one.rule, &one.location, &one.message) == (other.rule, &other.location, &other.message)
        && (&one.verdict, one.proof, &one.assumes) == (&other.verdict, other.proof, &other.assumes)
        && !other.targets.iter().any(|target| one.targets.contains(target))
}

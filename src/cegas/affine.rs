//! Sums that stay the same: from how much variables grow in single turns of a loop, the linear combinations
//! that do not change at all. Growths are sampled with the solver until it finds none that contradicts
//! (the affine hull of Karr, 1976, by counterexamples).

use super::invariant::Arrival;
use super::machine::Machine;
use crate::smt::value::{mask, signed};
use crate::smt::{Answer, ExprId, Limits};

/// Variables looked at together.
const MOST: usize = 12;

/// Growths and coefficients beyond this are not worth a guess.
const LARGEST: i128 = 1 << 40;

impl Machine<'_> {
    /// Equations between the head's variables, given with their values at the entry.
    pub(super) fn constant_sums(
        &mut self,
        scalars: &[(ExprId, ExprId)],
        arrivals: &[Arrival],
        candidates: &[ExprId],
        limits: &Limits,
    ) -> Vec<ExprId> {
        let mut widths: Vec<u32> = scalars.iter().map(|&(x, _)| self.smt.pool.width(x)).collect();
        widths.sort_unstable();
        widths.dedup();
        let mut found = Vec::new();
        let mut groups: Vec<(Vec<(ExprId, ExprId)>, u32)> = Vec::new();
        for width in widths.into_iter().filter(|width| (8..=64).contains(width)) {
            let same = scalars.iter().filter(|(x, _)| self.smt.pool.width(*x) == width);
            groups.push((same.copied().take(MOST).collect(), width));
        }
        groups.extend(self.of_several_widths(scalars));
        for (group, width) in groups.into_iter().filter(|(group, _)| group.len() > 1) {
            let grown: Vec<(ExprId, ExprId)> = group.iter().map(|&(x, _)| (x, x)).collect();
            for sum in self.sums(&grown, width, arrivals, candidates, limits) {
                found.push(self.balance(&sum, &group, width));
            }
        }
        found
    }

    /// Equations between what the first of each pair is at the arrivals and what the second was before.
    pub(super) fn balances(
        &mut self,
        pairs: &[(ExprId, ExprId)],
        arrivals: &[Arrival],
        limits: &Limits,
    ) -> Vec<ExprId> {
        let width = pairs.first().map_or(0, |&(to, _)| self.smt.pool.width(to));
        let sums = self.sums(pairs, width, arrivals, &[], limits);
        sums.into_iter().map(|sum| self.balance(&sum, pairs, width)).collect()
    }

    /// That the sum of the first ones is that of the second ones.
    fn balance(&mut self, factors: &[i128], pairs: &[(ExprId, ExprId)], width: u32) -> ExprId {
        let now = self.sum(factors, pairs.iter().map(|&(now, _)| now), width);
        let then = self.sum(factors, pairs.iter().map(|&(_, then)| then), width);
        self.smt.pool.eq(now, then)
    }

    /// Where a pointer moves, numbers that are less wide often count how far.
    fn of_several_widths(
        &mut self,
        scalars: &[(ExprId, ExprId)],
    ) -> Vec<(Vec<(ExprId, ExprId)>, u32)> {
        let width = self.pointer_bits;
        let is_wide = |(x, _): &(ExprId, ExprId)| self.smt.pool.width(*x) == width;
        let is_narrow = |(x, _): &(ExprId, ExprId)| (8..width).contains(&self.smt.pool.width(*x));
        let wide: Vec<_> = scalars.iter().copied().filter(is_wide).take(MOST / 2).collect();
        let narrow: Vec<_> = scalars.iter().copied().filter(is_narrow).take(MOST / 2).collect();
        if wide.is_empty() || narrow.is_empty() {
            return Vec::new();
        }
        let with = |machine: &mut Self, is_signed: bool| {
            let mut group = wide.clone();
            for &(x, entry) in &narrow {
                let mut as_wide = |e: ExprId| machine.smt.pool.resize(e, width, is_signed);
                group.push((as_wide(x), as_wide(entry)));
            }
            (group, width)
        };
        vec![with(self, true), with(self, false)]
    }

    fn sum(&mut self, factors: &[i128], terms: impl Iterator<Item = ExprId>, width: u32) -> ExprId {
        let mut sum = self.smt.pool.constant(0, width);
        for (&factor, term) in factors.iter().zip(terms) {
            let factor = self.smt.pool.constant(factor as u128 & mask(width), width);
            let part = self.smt.pool.mul(factor, term);
            sum = self.smt.pool.add(sum, part);
        }
        sum
    }

    /// The factors of the sums that no arrival changes, as far as the solver tells.
    fn sums(
        &mut self,
        group: &[(ExprId, ExprId)],
        width: u32,
        arrivals: &[Arrival],
        candidates: &[ExprId],
        limits: &Limits,
    ) -> Vec<Vec<i128>> {
        let mut samples: Vec<Vec<i128>> = Vec::new();
        for arrival in arrivals {
            let mut growths = Vec::new();
            for &(to, from) in group {
                let after = self.smt.pool.substitute(to, &arrival.binding);
                growths.push(self.smt.pool.sub(after, from));
            }
            for _ in 0..=group.len() {
                let Some(sums) = unchanged(&samples, group.len()) else { return Vec::new() };
                let mut question = arrival.holds.clone();
                question.extend(candidates);
                let mut changes = Vec::new();
                for sum in &sums {
                    let growth = self.sum(sum, growths.iter().copied(), width);
                    let zero = self.smt.pool.constant(0, width);
                    changes.push(self.smt.pool.ne(growth, zero));
                }
                question.push(self.smt.pool.or_all(&changes));
                let Answer::Sat(model) = self.smt.check(&question, limits) else { break };
                let value = |&growth: &ExprId| self.smt.pool.eval(growth, &model);
                let sample: Option<Vec<u128>> = growths.iter().map(value).collect();
                let Some(sample) = sample else { return Vec::new() };
                let sample: Vec<i128> = sample.into_iter().map(|v| signed(v, width)).collect();
                if sample.iter().any(|growth| growth.abs() > LARGEST) {
                    return Vec::new();
                }
                samples.push(sample);
            }
        }
        unchanged(&samples, group.len()).unwrap_or_default()
    }
}

/// A basis of the factors for which all samples sum to zero; `None` if the numbers get out of hand.
fn unchanged(samples: &[Vec<i128>], count: usize) -> Option<Vec<Vec<i128>>> {
    let mut rows: Vec<Vec<i128>> = samples.to_vec();
    let mut pivots: Vec<usize> = Vec::new();
    for column in 0..count {
        let done = pivots.len();
        let Some(at) = (done..rows.len()).find(|&row| rows[row][column] != 0) else { continue };
        rows.swap(done, at);
        let pivot = rows[done].clone();
        for (index, row) in rows.iter_mut().enumerate() {
            if index == done || row[column] == 0 {
                continue;
            }
            let factor = row[column];
            for (entry, other) in row.iter_mut().zip(&pivot) {
                let scaled = entry.checked_mul(pivot[column])?;
                *entry = scaled.checked_sub(other.checked_mul(factor)?)?;
            }
            reduce(row)?;
        }
        pivots.push(column);
    }
    let mut basis = Vec::new();
    for free in (0..count).filter(|column| !pivots.contains(column)) {
        let mut scale = 1i128;
        for (row, &pivot) in rows.iter().zip(&pivots) {
            let divisor = row[pivot].abs();
            scale = (scale / gcd(scale, divisor)).checked_mul(divisor)?;
        }
        let mut factors = vec![0; count];
        factors[free] = scale;
        for (row, &pivot) in rows.iter().zip(&pivots) {
            factors[pivot] = -(row[free].checked_mul(scale)? / row[pivot]);
        }
        reduce(&mut factors)?;
        basis.push(factors);
    }
    Some(basis)
}

/// Divides by the common divisor.
fn reduce(row: &mut [i128]) -> Option<()> {
    let divisor = row.iter().fold(0, |divisor, &entry| gcd(divisor, entry.abs()));
    if divisor > 1 {
        row.iter_mut().for_each(|entry| *entry /= divisor);
    }
    row.iter().all(|entry| entry.abs() <= LARGEST).then_some(())
}

fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_together_is_found() {
        // x grows by 1, y by 2, z by x's growth or not at all.
        let samples = vec![vec![1, 2, 1], vec![0, 0, 0]];
        let sums = unchanged(&samples, 3).expect("small numbers");
        assert_eq!(sums.len(), 2);
        for sum in &sums {
            assert!(
                samples.iter().all(|s| s.iter().zip(sum).map(|(a, b)| a * b).sum::<i128>() == 0)
            );
        }
        assert_eq!(unchanged(&[vec![1, 0], vec![0, 1]], 2), Some(vec![]));
        assert_eq!(unchanged(&[vec![4, 6]], 2), Some(vec![vec![-3, 2]]));
    }
}

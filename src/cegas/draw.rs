//! Inputs drawn at random: the same each time, since what they are follows from a seed and their number.

/// How inputs are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Draw {
    seed: u64,
    kind: Kind,
    /// Every byte of what was never set.
    pub unset: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Any,
    /// Of any length up to what a loop can count to: there are as many small ones as large ones.
    Long,
    Below(u64),
    /// Each greater than the one before …
    Rising,
    /// … or less.
    Falling,
}

/// Worth trying: programs like small numbers, few and many, and sorted ones; how often they turn is anybody's guess.
const KINDS: [Kind; 12] = [
    Kind::Below(1),
    Kind::Any,
    Kind::Falling,
    Kind::Long,
    Kind::Below(2),
    Kind::Rising,
    Kind::Long,
    Kind::Below(4),
    Kind::Below(16),
    Kind::Long,
    Kind::Any,
    Kind::Below(1024),
];

/// Bits of a number that an execution can count to.
const LONGEST: u32 = 22;

/// What lies in memory that nobody wrote, every other time.
const UNSET: u8 = 0x5b;

impl Draw {
    /// One after the other, each as unlike the last as can be.
    pub fn number(number: u32) -> Draw {
        let kind = KINDS[number as usize % KINDS.len()];
        Draw { seed: u64::from(number), kind, unset: if number % 2 == 1 { UNSET } else { 0 } }
    }

    /// The input of that number.
    pub fn bits(self, number: u32, width: u32) -> u128 {
        let word = mixed(self.seed << 32 | u64::from(number));
        match self.kind {
            Kind::Any if width > 64 => u128::from(mixed(word)) << 64 | u128::from(word),
            Kind::Any => u128::from(word),
            Kind::Long => {
                let bits = mixed(word) % u64::from(width.min(LONGEST) + 1);
                u128::from(word) & crate::smt::value::mask(bits as u32)
            }
            Kind::Below(bound) => u128::from(word % bound),
            Kind::Rising => u128::from(number),
            Kind::Falling => u128::from(i32::MAX as u32 - number.min(i32::MAX as u32)),
        }
    }

    /// A value of so many bits that was never set.
    pub fn unset(self, width: u32) -> u128 {
        u128::from_le_bytes([self.unset; 16]) & crate::smt::value::mask(width)
    }
}

/// Every bit depends on every bit (splitmix64's finish).
fn mixed(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_as_their_kind_says_and_repeat() {
        for number in 0..32 {
            let draw = Draw::number(number);
            for input in 1..100 {
                let value = draw.bits(input, 32);
                assert_eq!(value, draw.bits(input, 32));
                let before = draw.bits(input - 1, 32);
                assert!(match draw.kind {
                    Kind::Any | Kind::Long => value <= u128::from(u64::MAX),
                    Kind::Below(bound) => value < u128::from(bound),
                    Kind::Rising => value > before,
                    Kind::Falling => value < before,
                });
            }
        }
    }

    #[test]
    fn what_was_never_set_is_made_of_equal_bytes() {
        assert_eq!(Draw::number(1).unset(32), 0x5b5b_5b5b);
        assert_eq!(Draw::number(1).unset(1), 1);
        assert_eq!(Draw::number(2).unset(64), 0);
    }
}

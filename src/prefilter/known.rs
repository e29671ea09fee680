//! What is known of a pointer or number where it crosses the border of a function.

use super::ranges::Range;

/// Facts about one value, without saying which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    pub object: bool,
    /// It is null, or one into an object.
    pub or_null: bool,
    /// The bytes around it that lie in its object unless it is null; none if the range is empty.
    pub bytes: (i64, i64),
    /// Whatever it points to is alive.
    pub live: bool,
    /// It is null or the start of something that was allocated, and may be freed by now.
    pub start: bool,
    pub set: bool,
    /// Of a number.
    pub range: Range,
}

impl Known {
    /// Of a value that no execution makes, as far as was seen.
    pub const ALL: Known = Known {
        object: true,
        or_null: true,
        bytes: (i64::MIN, i64::MAX),
        live: true,
        start: true,
        set: true,
        range: Range::NONE,
    };
    pub const NOTHING: Known = Known {
        object: false,
        or_null: false,
        bytes: (0, 0),
        live: false,
        start: false,
        set: false,
        range: Range::ANY,
    };

    /// Of null.
    pub const NULL: Known = Known { object: false, range: Range { lo: 0, hi: 0 }, ..Known::ALL };

    pub fn meet(self, other: Known) -> Known {
        let (lo, hi) = (self.bytes.0.max(other.bytes.0), self.bytes.1.min(other.bytes.1));
        Known {
            object: self.object && other.object,
            or_null: self.or_null && other.or_null,
            bytes: if lo < hi { (lo, hi) } else { (0, 0) },
            live: self.live && other.live,
            start: self.start && other.start,
            set: self.set && other.set,
            range: self.range.or(other.range),
        }
    }

    /// The same, but with no range if that is another than before: a loop might let it grow for long.
    pub fn widened(self, before: Known) -> Known {
        let range = if self.range == before.range { self.range } else { Range::ANY };
        Known { range, ..self }
    }
}

/// What holds at the borders of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Of each parameter, when the function is entered …
    pub entry: Vec<Known>,
    /// … and of the same values when it has returned.
    pub exit: Vec<Known>,
    pub result: Known,
}

impl Summary {
    pub fn all(params: usize) -> Summary {
        Summary {
            entry: vec![Known::ALL; params],
            exit: vec![Known::ALL; params],
            result: Known::ALL,
        }
    }
}

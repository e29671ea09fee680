//! Memory along a path: instances with cells. A store to one place is a strong update, to one of several a weak
//! one; what overlaps a cell in part is not known afterwards.

use super::value::{Instance, Symbols, Target, Value};
use crate::ir::{Const, ConstId, FuncId, GlobalId, InstId, Program};
use std::collections::BTreeMap;

/// Where an instance comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    Global(GlobalId),
    Func(FuncId),
    /// By an `alloca`; the ordinal counts this site's on the path.
    Local {
        site: InstId,
        ordinal: u32,
    },
    Heap {
        site: InstId,
        ordinal: u32,
    },
}

/// What lies where no cell is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ground {
    Zero,
    /// What the global is initialised with.
    Start(GlobalId),
    /// What nobody wrote.
    Junk,
    Unknown,
}

#[derive(Debug, Clone)]
struct Object {
    origin: Origin,
    ground: Ground,
    /// By offset: the number of bytes and what they hold.
    cells: BTreeMap<i64, (u64, Value)>,
}

#[derive(Debug, Clone, Default)]
pub struct Memory {
    objects: Vec<Object>,
    /// How many each site has made.
    made: BTreeMap<InstId, u32>,
}

impl Memory {
    /// Globals and functions, in the order of their ids.
    pub fn start(program: &Program) -> Memory {
        let mut memory = Memory::default();
        for (id, global) in &program.globals {
            let ground = if global.init.is_some() { Ground::Start(id) } else { Ground::Unknown };
            memory.push(Origin::Global(id), ground);
        }
        for id in program.funcs.keys() {
            memory.push(Origin::Func(id), Ground::Unknown);
        }
        memory
    }

    /// How many instances there are.
    pub fn count(&self) -> usize {
        self.objects.len()
    }

    pub fn global(global: GlobalId) -> Instance {
        Instance(global.as_u32())
    }

    pub fn func(program: &Program, func: FuncId) -> Instance {
        Instance(program.globals.len() as u32 + func.as_u32())
    }

    fn push(&mut self, origin: Origin, ground: Ground) -> Instance {
        self.objects.push(Object { origin, ground, cells: BTreeMap::new() });
        Instance(self.objects.len() as u32 - 1)
    }

    /// The number of the next instance that this site makes.
    fn next_at(&mut self, at: InstId) -> u32 {
        let made = self.made.entry(at).or_default();
        *made += 1;
        *made - 1
    }

    pub fn local(&mut self, site: InstId) -> Instance {
        let ordinal = self.next_at(site);
        self.push(Origin::Local { site, ordinal }, Ground::Junk)
    }

    pub fn heap(&mut self, site: InstId, zero: bool) -> Instance {
        let ordinal = self.next_at(site);
        let ground = if zero { Ground::Zero } else { Ground::Junk };
        self.push(Origin::Heap { site, ordinal }, ground)
    }

    pub fn origin(&self, instance: Instance) -> Origin {
        self.objects[instance.0 as usize].origin
    }

    pub fn instances(&self) -> impl Iterator<Item = (Instance, Origin)> + '_ {
        let all = self.objects.iter().enumerate();
        all.map(|(index, object)| (Instance(index as u32), object.origin))
    }

    /// Nothing is known of its content any more.
    pub fn forget(&mut self, instance: Instance) {
        let object = &mut self.objects[instance.0 as usize];
        object.cells.clear();
        object.ground = Ground::Unknown;
    }

    /// Its life begins: nobody wrote to it yet.
    pub fn begin(&mut self, instance: Instance) {
        let object = &mut self.objects[instance.0 as usize];
        object.cells.clear();
        object.ground = Ground::Junk;
    }

    fn overlapping(&self, instance: Instance, offset: i64, size: u64) -> Vec<i64> {
        let end = offset.saturating_add(size as i64);
        let cells = &self.objects[instance.0 as usize].cells;
        // Cells do not overlap each other, so the last ones to begin are the last ones to end.
        let before = cells.range(..end).rev();
        let reach = before.take_while(|(at, cell)| **at + cell.0 as i64 > offset);
        reach.map(|(&at, _)| at).collect()
    }

    /// What `size` bytes hold.
    pub fn load(
        &mut self,
        program: &Program,
        symbols: &mut Symbols,
        (instance, offset): (Instance, i64),
        size: u64,
    ) -> Value {
        let found = self.overlapping(instance, offset, size);
        let object = &mut self.objects[instance.0 as usize];
        match found[..] {
            [] => {
                let value = match object.ground {
                    Ground::Zero => Some(Value::Number(0)),
                    Ground::Start(global) => initial(program, global, offset, size),
                    Ground::Junk => Some(symbols.fresh_junk()),
                    Ground::Unknown => None,
                };
                let value = value.unwrap_or_else(|| symbols.fresh());
                // Arbitrary, but the same from now on.
                object.cells.insert(offset, (size, value.clone()));
                value
            }
            [at] if at == offset && object.cells[&at].0 == size => object.cells[&at].1.clone(),
            _ => symbols.fresh(),
        }
    }

    /// `SU`: what was there is gone.
    pub fn store(&mut self, (instance, offset): (Instance, i64), size: u64, value: Value) {
        let mut torn = false;
        for at in self.overlapping(instance, offset, size) {
            let object = &mut self.objects[instance.0 as usize];
            let cell = object.cells.remove(&at);
            torn |=
                cell.is_some_and(|(len, _)| at < offset || at + len as i64 > offset + size as i64);
        }
        let object = &mut self.objects[instance.0 as usize];
        if torn {
            object.ground = Ground::Unknown;
        }
        object.cells.insert(offset, (size, value));
    }

    /// Copies `len` bytes from one place to another.
    pub fn copy(
        &mut self,
        program: &Program,
        to: (Instance, i64),
        from: (Instance, i64),
        len: u64,
    ) {
        let source = &self.objects[from.0.0 as usize];
        let end = from.1.saturating_add(len as i64);
        let mut moved: Vec<(i64, u64, Value)> = source
            .cells
            .range(from.1..end)
            .filter(|(at, cell)| **at + cell.0 as i64 <= end)
            .map(|(&at, (size, value))| (at - from.1, *size, value.clone()))
            .collect();
        if let Ground::Start(global) = source.ground
            && let Some(init) = &program.globals[global].init
        {
            let width = u64::from(program.machine.pointer_bits / 8);
            for &(at, _) in &init.relocs {
                let at = at as i64;
                let inside = at >= from.1 && at + width as i64 <= end;
                if inside && self.overlapping(from.0, at, width).is_empty() {
                    let value = initial(program, global, at, width);
                    moved.extend(value.map(|value| (at - from.1, width, value)));
                }
            }
        }
        for at in self.overlapping(to.0, to.1, len) {
            self.objects[to.0.0 as usize].cells.remove(&at);
        }
        let target = &mut self.objects[to.0.0 as usize];
        target.ground = Ground::Unknown;
        for (at, size, value) in moved {
            target.cells.insert(to.1 + at, (size, value));
        }
    }
}

/// What a constant is, if it is a number or an address.
pub fn constant(program: &Program, id: ConstId) -> Option<Value> {
    match *program.consts.get(id) {
        Const::Int(number) => Some(Value::Number(number)),
        Const::Null | Const::Zero => Some(Value::Number(0)),
        Const::Global { global, offset } => {
            Some(Value::points(vec![Target::At(Memory::global(global), offset)]))
        }
        Const::Func(func) => Some(Value::points(vec![Target::At(Memory::func(program, func), 0)])),
        Const::Float(_)
        | Const::Wide(_)
        | Const::Undef
        | Const::Poison
        | Const::Aggregate(_)
        | Const::Block { .. }
        | Const::Expr(_)
        | Const::Unsupported(_) => None,
    }
}

/// What a global holds at the start.
fn initial(program: &Program, global: GlobalId, offset: i64, size: u64) -> Option<Value> {
    let init = program.globals[global].init.as_ref()?;
    let start = u64::try_from(offset).ok()?;
    let width = u64::from(program.machine.pointer_bits / 8);
    for &(at, value) in &init.relocs {
        if at == start && size == width {
            return constant(program, value);
        }
        if at < start + size && start < at + width {
            return None;
        }
    }
    if size > 16 {
        return None;
    }
    let byte = |index: u64| init.bytes.get((start + index) as usize).copied().unwrap_or(0);
    let little = (0..size).rev().fold(0u128, |sum, index| sum << 8 | u128::from(byte(index)));
    (!program.machine.big_endian).then_some(Value::Number(little))
}

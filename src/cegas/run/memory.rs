//! Memory of a fast execution: one flat space of addresses, objects with gaps between them.

use crate::cegas::demand::NULL_PAGE;
use crate::ir::{ConstId, FuncId, GlobalId, Program};

const FUNCS: u64 = 0x0010_0000;
const GLOBALS: u64 = 0x0800_0000;
const HEAP: u64 = 0x3000_0000;
const STACK: u64 = 0xa000_0000;
/// Where each region ends, as the next one begins.
const END: u64 = 0xf000_0000;

/// Between objects, so that a small step too far leads nowhere.
const GAP: u64 = 64;

/// Bytes of all objects together.
const MOST_BYTES: usize = 1 << 28;

#[derive(Debug)]
struct Object {
    start: u64,
    bytes: Vec<u8>,
    is_live: bool,
}

/// Objects side by side, in the order they were made.
#[derive(Debug)]
struct Region {
    objects: Vec<Object>,
    next: u64,
    end: u64,
    /// The object that was looked at last.
    last: usize,
}

/// What is wrong with an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    Null,
    Outside,
    Dead,
}

impl Region {
    fn new(start: u64, end: u64) -> Region {
        Region { objects: Vec::new(), next: start, end, last: 0 }
    }

    fn push(&mut self, bytes: Vec<u8>) -> Option<u64> {
        let start = self.next;
        let size = bytes.len() as u64;
        self.next = (start + size + GAP).next_multiple_of(16);
        self.objects.push(Object { start, bytes, is_live: true });
        (self.next < self.end).then_some(start)
    }

    fn find(&mut self, address: u64) -> Option<&mut Object> {
        let holds = |object: &Object| {
            address >= object.start && address - object.start <= object.bytes.len() as u64
        };
        if !self.objects.get(self.last).is_some_and(holds) {
            let behind = self.objects.partition_point(|object| object.start <= address);
            self.last = behind.checked_sub(1).filter(|&index| holds(&self.objects[index]))?;
        }
        self.objects.get_mut(self.last)
    }
}

#[derive(Debug)]
pub struct Memory {
    /// Globals, heap, stack.
    regions: [Region; 3],
    starts: Vec<u64>,
    total: usize,
}

impl Memory {
    /// With the globals of the program, which hold what they are initialised with.
    pub fn new(program: &Program) -> Option<Memory> {
        let regions =
            [Region::new(GLOBALS, HEAP), Region::new(HEAP, STACK), Region::new(STACK, END)];
        let mut memory = Memory { regions, starts: Vec::new(), total: 0 };
        for global in program.globals.values() {
            let start = memory.make(0, global.size, 0)?;
            memory.starts.push(start);
        }
        for (id, global) in &program.globals {
            let Some(init) = &global.init else { continue };
            let start = memory.global(id);
            if !init.bytes.is_empty() {
                memory.slice(start, init.bytes.len() as u64).ok()?.copy_from_slice(&init.bytes);
            }
            for &(offset, constant) in &init.relocs {
                let bytes = u64::from(program.machine.pointer_bits / 8);
                let value = memory.address_of(program, constant)?;
                memory.store(start + offset, bytes, value).ok()?;
            }
        }
        Some(memory)
    }

    fn make(&mut self, region: usize, size: u64, unset: u8) -> Option<u64> {
        let size = usize::try_from(size).ok()?;
        self.total = self.total.checked_add(size).filter(|&total| total <= MOST_BYTES)?;
        self.regions[region].push(vec![unset; size])
    }

    pub fn global(&self, global: GlobalId) -> u64 {
        self.starts[global.as_u32() as usize]
    }

    pub fn func(func: FuncId) -> u64 {
        FUNCS + 16 * u64::from(func.as_u32())
    }

    pub fn func_at(program: &Program, address: u64) -> Option<FuncId> {
        let offset = address.checked_sub(FUNCS).filter(|offset| offset % 16 == 0)?;
        let number = u32::try_from(offset / 16).ok()?;
        ((number as usize) < program.funcs.len()).then(|| FuncId::from_u32(number))
    }

    fn address_of(&self, program: &Program, constant: ConstId) -> Option<u64> {
        super::constant(program, self, constant)
    }

    /// Every byte holds `unset`.
    pub fn allocate(&mut self, size: u64, unset: u8) -> Option<u64> {
        self.make(1, size, unset)
    }

    pub fn local(&mut self, size: u64, unset: u8) -> Option<u64> {
        self.make(2, size, unset)
    }

    /// How many objects the stack has.
    pub fn depth(&self) -> usize {
        self.regions[2].objects.len()
    }

    /// Takes the stack back to so many objects.
    pub fn unwind(&mut self, depth: usize) {
        let stack = &mut self.regions[2];
        if let Some(first) = stack.objects.get(depth) {
            stack.next = first.start;
        }
        for object in stack.objects.drain(depth..) {
            self.total -= object.bytes.len();
        }
    }

    pub fn free(&mut self, address: u64) -> Option<()> {
        let object = self.regions[1].find(address)?;
        let is_right = object.is_live && object.start == address;
        object.is_live = false;
        is_right.then_some(())
    }

    pub fn size(&mut self, address: u64) -> Option<u64> {
        let object = self.find(address)?;
        (object.start == address && object.is_live).then_some(object.bytes.len() as u64)
    }

    fn find(&mut self, address: u64) -> Option<&mut Object> {
        let region = match address {
            STACK.. => 2,
            HEAP.. => 1,
            _ => 0,
        };
        self.regions[region].find(address)
    }

    /// The bytes at an address.
    pub fn slice(&mut self, address: u64, bytes: u64) -> Result<&mut [u8], Wrong> {
        if address < NULL_PAGE {
            return Err(Wrong::Null);
        }
        let object = self.find(address).ok_or(Wrong::Outside)?;
        if !object.is_live {
            return Err(Wrong::Dead);
        }
        let from = (address - object.start) as usize;
        let to = from.checked_add(bytes as usize).ok_or(Wrong::Outside)?;
        object.bytes.get_mut(from..to).ok_or(Wrong::Outside)
    }

    pub fn load(&mut self, address: u64, bytes: u64) -> Result<u64, Wrong> {
        let slice = self.slice(address, bytes)?;
        let mut word = [0; 8];
        word[..slice.len()].copy_from_slice(slice);
        Ok(u64::from_le_bytes(word))
    }

    pub fn store(&mut self, address: u64, bytes: u64, value: u64) -> Result<(), Wrong> {
        let slice = self.slice(address, bytes)?;
        let length = slice.len();
        slice.copy_from_slice(&value.to_le_bytes()[..length]);
        Ok(())
    }
}

import { FieldReader } from './field-reader.js';

/** A Python tuple; lists are arrays, dictionaries are maps, None is null. */
export class PickleTuple {
  constructor(readonly items: readonly unknown[]) {}
}

/** The refusal of a pickle that asks for something it may not have. */
export class PickleRefusal extends Error {}

/** A pickle's access to anything outside it. Each method returns a plain value or throws a {@link PickleRefusal}. */
export interface PicklePolicy {
  /** A class or function that the pickle names. */
  global(module: string, name: string): unknown;
  /** A call of a value that `global` returned. */
  call(callee: unknown, args: readonly unknown[]): unknown;
  /** An object stored outside the pickle. */
  persistent(id: unknown): unknown;
}

/** The opcodes that plain data needs, protocols 2 to 5, but for STOP. */
const OPCODES: Readonly<Record<number, (machine: PickleMachine, reader: FieldReader) => unknown>> = {
  0x80: (machine, reader) => machine.checkProtocol(reader.uint8()), // PROTO
  0x95: (_, reader) => reader.uint64(), // FRAME
  0x4e: (machine) => machine.push(null), // NONE
  0x88: (machine) => machine.push(true), // NEWTRUE
  0x89: (machine) => machine.push(false), // NEWFALSE
  0x4a: (machine, reader) => machine.push(reader.int32()), // BININT
  0x4b: (machine, reader) => machine.push(reader.uint8()), // BININT1
  0x4d: (machine, reader) => machine.push(reader.uint16()), // BININT2
  0x8a: (machine, reader) => machine.push(long(reader.take(reader.uint8()))), // LONG1
  0x47: (machine, reader) => machine.push(reader.float64BigEndian()), // BINFLOAT
  0x58: (machine, reader) => machine.push(reader.text(reader.uint32())), // BINUNICODE
  0x8c: (machine, reader) => machine.push(reader.text(reader.uint8())), // SHORT_BINUNICODE
  0x55: (machine, reader) => machine.push(reader.text(reader.uint8())), // SHORT_BINSTRING
  0x29: (machine) => machine.push(new PickleTuple([])), // EMPTY_TUPLE
  0x74: (machine) => machine.push(new PickleTuple(machine.popToMark())), // TUPLE
  0x85: (machine) => machine.push(new PickleTuple(machine.popMany(1))), // TUPLE1
  0x86: (machine) => machine.push(new PickleTuple(machine.popMany(2))), // TUPLE2
  0x87: (machine) => machine.push(new PickleTuple(machine.popMany(3))), // TUPLE3
  0x5d: (machine) => machine.push([]), // EMPTY_LIST
  0x61: (machine) => machine.append(machine.popMany(1)), // APPEND
  0x65: (machine) => machine.append(machine.popToMark()), // APPENDS
  0x7d: (machine) => machine.push(new Map()), // EMPTY_DICT
  0x73: (machine) => machine.setItems(machine.popMany(2)), // SETITEM
  0x75: (machine) => machine.setItems(machine.popToMark()), // SETITEMS
  0x28: (machine) => machine.mark(), // MARK
  0x68: (machine, reader) => machine.recall(reader.uint8()), // BINGET
  0x6a: (machine, reader) => machine.recall(reader.uint32()), // LONG_BINGET
  0x71: (machine, reader) => machine.memo.set(reader.uint8(), machine.top()), // BINPUT
  0x72: (machine, reader) => machine.memo.set(reader.uint32(), machine.top()), // LONG_BINPUT
  0x94: (machine) => machine.memo.set(machine.memo.size, machine.top()), // MEMOIZE
  0x63: (machine, reader) => machine.push(machine.policy.global(reader.line(), reader.line())), // GLOBAL
  0x93: (machine) => machine.stackGlobal(), // STACK_GLOBAL
  0x52: (machine) => machine.reduce(), // REDUCE
  0x62: (machine) => machine.build(), // BUILD
  0x51: (machine) => machine.push(machine.policy.persistent(machine.pop())), // BINPERSID
};

const STOP = 0x2e;

/** Opcodes that build arbitrary objects, named in refusals. */
const REFUSED: Readonly<Record<number, string>> = {
  0x69: 'INST',
  0x6f: 'OBJ',
  0x81: 'NEWOBJ',
  0x92: 'NEWOBJ_EX',
  0x50: 'PERSID',
  0x82: 'EXT1',
  0x83: 'EXT2',
  0x84: 'EXT4',
};

/**
 * Runs a pickle as data: a stack machine that knows only the opcodes above and reaches outside only through
 * the policy. Nothing that the pickle names is ever imported or executed.
 */
export function unpickle(bytes: Uint8Array, policy: PicklePolicy): unknown {
  const reader = new FieldReader(bytes);
  const machine = new PickleMachine(policy);
  for (;;) {
    const code = reader.uint8();
    if (code === STOP) return machine.pop();
    const perform = OPCODES[code];
    if (!perform) {
      const at = `0x${code.toString(16)} (${REFUSED[code] ?? 'unknown'}) at byte ${reader.position - 1}`;
      throw new PickleRefusal(`it uses the opcode ${at}, which plain tensors do not need`);
    }
    perform(machine, reader);
  }
}

class PickleMachine {
  private readonly stack: unknown[] = [];
  private readonly marks: number[] = [];
  readonly memo = new Map<number, unknown>();

  constructor(readonly policy: PicklePolicy) {}

  push(value: unknown): void {
    this.stack.push(value);
  }

  mark(): void {
    this.marks.push(this.stack.length);
  }

  checkProtocol(version: number): void {
    if (version < 2 || version > 5) throw new PickleRefusal(`it is of protocol ${version}, expected 2 to 5`);
  }

  append(items: unknown[]): void {
    const list = this.top();
    if (!Array.isArray(list)) throw new PickleRefusal('it appends to something that is not a list');
    for (const item of items) list.push(item);
  }

  setItems(items: unknown[]): void {
    const dictionary = this.top();
    if (!(dictionary instanceof Map) || items.length % 2 !== 0) {
      throw new PickleRefusal('it sets items of something that is not a dictionary');
    }
    for (let i = 0; i < items.length; i += 2) {
      if (dictionary.has(items[i])) throw new PickleRefusal(`it sets "${String(items[i])}" twice`);
      dictionary.set(items[i], items[i + 1]);
    }
  }

  recall(index: number): void {
    if (!this.memo.has(index)) throw new PickleRefusal(`it recalls memo ${index}, which was never stored`);
    this.stack.push(this.memo.get(index));
  }

  stackGlobal(): void {
    const [module, name] = this.popMany(2);
    if (typeof module !== 'string' || typeof name !== 'string') {
      throw new PickleRefusal('it names a global by something that is not text');
    }
    this.stack.push(this.policy.global(module, name));
  }

  reduce(): void {
    const [callee, args] = this.popMany(2);
    if (!(args instanceof PickleTuple)) throw new PickleRefusal('it calls a function without a tuple');
    this.stack.push(this.policy.call(callee, args.items));
  }

  /** Attributes of a dictionary (PyTorch keeps module versions there) are of no interest. */
  build(): void {
    this.pop();
    if (!(this.top() instanceof Map)) throw new PickleRefusal('it sets the state of an object');
  }

  top(): unknown {
    if (this.stack.length === 0) throw new PickleRefusal('its stack runs empty');
    return this.stack.at(-1);
  }

  pop(): unknown {
    return this.popMany(1)[0];
  }

  popMany(count: number): unknown[] {
    const floor = this.marks.at(-1) ?? 0;
    if (this.stack.length - count < floor) throw new PickleRefusal('its stack runs empty');
    return this.stack.splice(this.stack.length - count, count);
  }

  popToMark(): unknown[] {
    const mark = this.marks.pop();
    if (mark === undefined) throw new PickleRefusal('it closes a group that was never opened');
    return this.stack.splice(mark);
  }
}

/** A number in two's complement, little-endian. */
function long(bytes: Uint8Array): number {
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i]);
  return Number(BigInt.asIntN(8 * bytes.length, value));
}

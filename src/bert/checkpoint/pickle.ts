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

/** The opcodes that plain data needs, protocols 2 to 5. */
const ALLOWED: Readonly<Record<number, string>> = {
  0x80: 'PROTO',
  0x95: 'FRAME',
  0x2e: 'STOP',
  0x4e: 'NONE',
  0x88: 'NEWTRUE',
  0x89: 'NEWFALSE',
  0x4a: 'BININT',
  0x4b: 'BININT1',
  0x4d: 'BININT2',
  0x8a: 'LONG1',
  0x47: 'BINFLOAT',
  0x58: 'BINUNICODE',
  0x8c: 'SHORT_BINUNICODE',
  0x55: 'SHORT_BINSTRING',
  0x29: 'EMPTY_TUPLE',
  0x74: 'TUPLE',
  0x85: 'TUPLE1',
  0x86: 'TUPLE2',
  0x87: 'TUPLE3',
  0x5d: 'EMPTY_LIST',
  0x61: 'APPEND',
  0x65: 'APPENDS',
  0x7d: 'EMPTY_DICT',
  0x73: 'SETITEM',
  0x75: 'SETITEMS',
  0x28: 'MARK',
  0x68: 'BINGET',
  0x6a: 'LONG_BINGET',
  0x71: 'BINPUT',
  0x72: 'LONG_BINPUT',
  0x94: 'MEMOIZE',
  0x63: 'GLOBAL',
  0x93: 'STACK_GLOBAL',
  0x52: 'REDUCE',
  0x62: 'BUILD',
  0x51: 'BINPERSID',
};

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
  const machine = new PickleMachine(new FieldReader(bytes), policy);
  for (;;) {
    const result = machine.step();
    if (result !== undefined) return result.value;
  }
}

class PickleMachine {
  private readonly stack: unknown[] = [];
  private readonly marks: number[] = [];
  private readonly memo = new Map<number, unknown>();

  constructor(
    private readonly reader: FieldReader,
    private readonly policy: PicklePolicy,
  ) {}

  /** One opcode; a result once STOP is reached. */
  step(): { value: unknown } | undefined {
    const { reader, stack } = this;
    const code = reader.uint8();
    switch (ALLOWED[code]) {
      case 'PROTO':
        return void this.checkProtocol(reader.uint8());
      case 'FRAME':
        return void reader.uint64();
      case 'STOP':
        return { value: this.pop() };
      case 'NONE':
        return void stack.push(null);
      case 'NEWTRUE':
        return void stack.push(true);
      case 'NEWFALSE':
        return void stack.push(false);
      case 'BININT':
        return void stack.push(reader.int32());
      case 'BININT1':
        return void stack.push(reader.uint8());
      case 'BININT2':
        return void stack.push(reader.uint16());
      case 'LONG1':
        return void stack.push(this.long(reader.take(reader.uint8())));
      case 'BINFLOAT':
        return void stack.push(reader.float64BigEndian());
      case 'BINUNICODE':
        return void stack.push(reader.text(reader.uint32()));
      case 'SHORT_BINUNICODE':
      case 'SHORT_BINSTRING':
        return void stack.push(reader.text(reader.uint8()));
      case 'EMPTY_TUPLE':
        return void stack.push(new PickleTuple([]));
      case 'TUPLE':
        return void stack.push(new PickleTuple(this.popToMark()));
      case 'TUPLE1':
        return void stack.push(new PickleTuple(this.popMany(1)));
      case 'TUPLE2':
        return void stack.push(new PickleTuple(this.popMany(2)));
      case 'TUPLE3':
        return void stack.push(new PickleTuple(this.popMany(3)));
      case 'EMPTY_LIST':
        return void stack.push([]);
      case 'APPEND':
        return this.append(this.popMany(1));
      case 'APPENDS':
        return this.append(this.popToMark());
      case 'EMPTY_DICT':
        return void stack.push(new Map());
      case 'SETITEM':
        return this.setItems(this.popMany(2));
      case 'SETITEMS':
        return this.setItems(this.popToMark());
      case 'MARK':
        return void this.marks.push(stack.length);
      case 'BINGET':
        return this.recall(reader.uint8());
      case 'LONG_BINGET':
        return this.recall(reader.uint32());
      case 'BINPUT':
        return void this.memo.set(reader.uint8(), this.top());
      case 'LONG_BINPUT':
        return void this.memo.set(reader.uint32(), this.top());
      case 'MEMOIZE':
        return void this.memo.set(this.memo.size, this.top());
      case 'GLOBAL':
        return void stack.push(this.policy.global(reader.line(), reader.line()));
      case 'STACK_GLOBAL':
        return this.stackGlobal();
      case 'REDUCE':
        return this.reduce();
      case 'BUILD':
        return this.build();
      case 'BINPERSID':
        return void stack.push(this.policy.persistent(this.pop()));
      default: {
        const name = REFUSED[code] ?? 'unknown';
        const at = `0x${code.toString(16)} (${name}) at byte ${reader.position - 1}`;
        throw new PickleRefusal(`it uses the opcode ${at}, which plain tensors do not need`);
      }
    }
  }

  private checkProtocol(version: number): void {
    if (version < 2 || version > 5) throw new PickleRefusal(`it is of protocol ${version}, expected 2 to 5`);
  }

  /** Two's complement, little-endian. */
  private long(bytes: Uint8Array): number {
    let value = 0n;
    for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i]);
    return Number(BigInt.asIntN(8 * bytes.length, value));
  }

  private append(items: unknown[]): undefined {
    const list = this.top();
    if (!Array.isArray(list)) throw new PickleRefusal('it appends to something that is not a list');
    for (const item of items) list.push(item);
  }

  private setItems(items: unknown[]): undefined {
    const dictionary = this.top();
    if (!(dictionary instanceof Map) || items.length % 2 !== 0) {
      throw new PickleRefusal('it sets items of something that is not a dictionary');
    }
    for (let i = 0; i < items.length; i += 2) {
      if (dictionary.has(items[i])) throw new PickleRefusal(`it sets "${String(items[i])}" twice`);
      dictionary.set(items[i], items[i + 1]);
    }
  }

  private recall(index: number): undefined {
    if (!this.memo.has(index)) throw new PickleRefusal(`it recalls memo ${index}, which was never stored`);
    this.stack.push(this.memo.get(index));
  }

  private stackGlobal(): undefined {
    const [module, name] = this.popMany(2);
    if (typeof module !== 'string' || typeof name !== 'string') {
      throw new PickleRefusal('it names a global by something that is not text');
    }
    this.stack.push(this.policy.global(module, name));
  }

  private reduce(): undefined {
    const [callee, args] = this.popMany(2);
    if (!(args instanceof PickleTuple)) throw new PickleRefusal('it calls a function without a tuple');
    this.stack.push(this.policy.call(callee, args.items));
  }

  /** Attributes of a dictionary (PyTorch keeps module versions there) are of no interest. */
  private build(): undefined {
    this.pop();
    if (!(this.top() instanceof Map)) throw new PickleRefusal('it sets the state of an object');
  }

  private top(): unknown {
    if (this.stack.length === 0) throw new PickleRefusal('its stack runs empty');
    return this.stack.at(-1);
  }

  private pop(): unknown {
    return this.popMany(1)[0];
  }

  private popMany(count: number): unknown[] {
    const floor = this.marks.at(-1) ?? 0;
    if (this.stack.length - count < floor) throw new PickleRefusal('its stack runs empty');
    return this.stack.splice(this.stack.length - count, count);
  }

  private popToMark(): unknown[] {
    const mark = this.marks.pop();
    if (mark === undefined) throw new PickleRefusal('it closes a group that was never opened');
    return this.stack.splice(mark);
  }
}

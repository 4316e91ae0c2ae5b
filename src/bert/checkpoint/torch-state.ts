import { type DType, dtypeNamed } from './dtype.js';
import { type PicklePolicy, PickleRefusal, PickleTuple, unpickle } from './pickle.js';

/** Values stored beside the pickle, as `data/<key>` in the archive. */
class TorchStorage {
  constructor(
    readonly key: string,
    readonly dtype: DType,
    readonly elements: number,
  ) {}
}

/** A view of a storage, as PyTorch describes it; all counts in elements. */
export class TorchTensor {
  constructor(
    readonly storage: TorchStorage,
    readonly offset: number,
    readonly shape: readonly number[],
    readonly strides: readonly number[],
  ) {}
}

/** One of the few names that a state dict may use. */
class TorchGlobal {
  constructor(readonly name: string) {}
}

/** The type of a storage's class: `torch.FloatStorage`. */
function storageType(name: string): DType | undefined {
  return dtypeNamed('torch', /^torch\.(\w+)$/.exec(name)?.[1]);
}

const FUNCTIONS: Readonly<Record<string, (args: readonly unknown[]) => unknown>> = {
  'collections.OrderedDict': orderedDict,
  'torch._utils._rebuild_tensor': rebuildTensor,
  'torch._utils._rebuild_tensor_v2': rebuildTensor,
  'torch._utils._rebuild_parameter': rebuildParameter,
};

const policy: PicklePolicy = {
  global(module, name) {
    const full = `${module}.${name}`;
    if (storageType(full) !== undefined || Object.hasOwn(FUNCTIONS, full)) return new TorchGlobal(full);
    throw new PickleRefusal(`it asks for ${full}, which is not among the names a state dict needs`);
  },
  call(callee, args) {
    const name = callee instanceof TorchGlobal ? callee.name : '';
    if (!Object.hasOwn(FUNCTIONS, name)) throw new PickleRefusal(`it calls ${name || 'a value'}`);
    return FUNCTIONS[name](args);
  },
  persistent(id) {
    const [kind, type, key, , elements] = id instanceof PickleTuple ? id.items : [];
    const dtype = type instanceof TorchGlobal ? storageType(type.name) : undefined;
    if (kind !== 'storage' || dtype === undefined || typeof key !== 'string' || !isCount(elements)) {
      throw new PickleRefusal('it refers to something outside that is not a storage');
    }
    return new TorchStorage(key, dtype, elements);
  },
};

/** The tensors of a pickled state dict by name. Throws a {@link PickleRefusal} for anything else. */
export function readStateDict(pickle: Uint8Array): Map<string, TorchTensor> {
  const value = unpickle(pickle, policy);
  if (!(value instanceof Map)) throw new PickleRefusal('it is not a dictionary of tensors');
  const tensors = new Map<string, TorchTensor>();
  const others: string[] = [];
  for (const [name, tensor] of value as Map<unknown, unknown>) {
    if (typeof name === 'string' && tensor instanceof TorchTensor) tensors.set(name, tensor);
    else others.push(String(name));
  }
  if (others.length > 0) {
    throw new PickleRefusal(`${others.join(', ')} is not a tensor: save model.state_dict() alone`);
  }
  return tensors;
}

function orderedDict(args: readonly unknown[]): Map<unknown, unknown> {
  if (args.length === 0) return new Map();
  throw new PickleRefusal('it builds an OrderedDict from arguments');
}

function rebuildTensor(args: readonly unknown[]): TorchTensor {
  const [storage, offset, shape, strides] = args;
  if (
    !(storage instanceof TorchStorage && shape instanceof PickleTuple && strides instanceof PickleTuple) ||
    !isCount(offset) ||
    !shape.items.every(isCount) ||
    !strides.items.every(isCount) ||
    shape.items.length !== strides.items.length
  ) {
    throw new PickleRefusal('it describes a tensor in a way PyTorch does not');
  }
  return new TorchTensor(storage, offset, shape.items as number[], strides.items as number[]);
}

function rebuildParameter(args: readonly unknown[]): TorchTensor {
  if (args[0] instanceof TorchTensor) return args[0];
  throw new PickleRefusal('it makes a parameter of something that is not a tensor');
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

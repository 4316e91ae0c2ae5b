import { usageError } from '../../common/errors.js';
import { deviceStates, installCuda } from '../../bert/index.js';
import { actionNamed, defineCommand, type Io } from '../command.js';
import { flag, type OptionValues } from '../options.js';
import { formatCount, tableText, writeJson } from '../format.js';

const options = { json: flag('list: write JSON') } as const;

type Values = OptionValues<typeof options>;

type Action = (operands: readonly string[], options: Values, io: Io) => Promise<void>;

const actions: Readonly<Record<string, Action>> = { list, install };

export const deviceCommand = defineCommand({
  name: 'device',
  summary: 'List the devices that models can run on, and install the libraries for CUDA.',
  positionals: [
    { name: 'ACTION', help: 'list or install' },
    { name: 'DEVICE', help: 'install: cuda', optional: true },
    {
      name: 'SOURCE',
      help: 'install: the wheel of onnxruntime-gpu (CUDA 13), its package for .NET (CUDA 12) or a folder with its libraries; default: what was installed before',
      optional: true,
    },
  ],
  options,
  examples: [
    'bert-qe device list',
    'bert-qe device install cuda onnxruntime_gpu-1.30.0-cp312-cp312-manylinux_2_28_x86_64.whl',
    'bert-qe device install cuda microsoft.ml.onnxruntime.gpu.linux.1.30.0.nupkg',
  ],
  async run({ options, positionals: [name, ...operands], io }) {
    await actionNamed('device', actions, name)(operands, options, io);
  },
});

async function list(_operands: readonly string[], { json }: Values, io: Io): Promise<void> {
  const states = await deviceStates();
  if (json) return writeJson(io, states);
  const rows = states.map(({ device, isUsable, detail }) => [device, isUsable ? 'yes' : 'no', detail]);
  io.stdout.write(tableText(rows));
}

async function install([device, source]: readonly string[], _options: Values, io: Io): Promise<void> {
  if (device !== 'cuda') {
    throw usageError(`device install takes "cuda"${device ? `, not "${device}"` : ''}.`);
  }
  for (const { name, bytes, sha256 } of await installCuda({ source })) {
    io.stdout.write(`${name}  ${formatCount(bytes)} bytes  ${sha256}\n`);
  }
  const cuda = (await deviceStates()).find((state) => state.device === 'cuda')!;
  io.stdout.write(
    cuda.isUsable ? `cuda can be used: ${cuda.detail}\n` : `cuda cannot be used yet: ${cuda.detail}\n`,
  );
}

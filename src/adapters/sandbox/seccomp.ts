/**
 * A filter of system calls, as bwrap takes it: text cannot be typed into a terminal for the person who looks at it (TIOCSTI,
 * TIOCLINUX), and the key rings of the kernel, which no namespace separates, stay closed.
 */

type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, value: number];

type SyscallNumbers = {
  readonly audit: number;
  readonly ioctl: number;
  /** add_key, request_key, keyctl. */
  readonly keys: readonly number[];
};

const X64: SyscallNumbers = { audit: 0xc000003e, ioctl: 16, keys: [248, 249, 250] };
const I386: SyscallNumbers = { audit: 0x40000003, ioctl: 54, keys: [286, 287, 288] };
const ARM64: SyscallNumbers = { audit: 0xc00000b7, ioctl: 29, keys: [217, 218, 219] };
const ARM32: SyscallNumbers = { audit: 0x40000028, ioctl: 54, keys: [309, 310, 311] };

const MACHINES: Readonly<Record<string, readonly SyscallNumbers[]>> = {
  x64: [X64, I386],
  arm64: [ARM64, ARM32],
};

/** Where `struct seccomp_data` has what is looked at; of the second argument, the lower half. */
const [NUMBER, AUDIT, REQUEST] = [0, 4, 24];
const [LOAD, JUMP_EQUAL, JUMP_AT_LEAST, RETURN] = [0x20, 0x15, 0x35, 0x06];
const [ALLOW, ERROR, EPERM, ENOSYS] = [0x7fff0000, 0x00050000, 1, 38];
const [TIOCSTI, TIOCLINUX] = [0x5412, 0x541c];
/** Calls of another interface to the same machine, which have other numbers. */
const X32 = 0x40000000;

/** Undefined on a machine that we have no numbers for. */
export function seccompFilter(arch: string = process.arch): Buffer | undefined {
  const machines = MACHINES[arch];
  if (machines === undefined) return undefined;
  // A machine that is not listed here can call nothing.
  return bytesOf([...machines.flatMap(blockFor), [RETURN, 0, 0, ERROR | ENOSYS]]);
}

function blockFor({ audit, ioctl, keys }: SyscallNumbers): readonly Instruction[] {
  // From the end backwards: each jump counts what it leaps over.
  const end: readonly Instruction[] = [
    [LOAD, 0, 0, REQUEST],
    [JUMP_EQUAL, 2, 0, TIOCSTI],
    [JUMP_EQUAL, 1, 0, TIOCLINUX],
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, ERROR | EPERM],
  ];
  const deny = keys.map((number, i): Instruction => [
    JUMP_EQUAL,
    keys.length - 1 - i + end.length,
    0,
    number,
  ]);
  const body: readonly Instruction[] = [
    [LOAD, 0, 0, NUMBER],
    [JUMP_AT_LEAST, 1 + deny.length + end.length, 0, X32],
    [JUMP_EQUAL, deny.length + 1, 0, ioctl],
    ...deny,
    [RETURN, 0, 0, ALLOW],
    ...end,
  ];
  return [[LOAD, 0, 0, AUDIT], [JUMP_EQUAL, 0, body.length, audit], ...body];
}

function bytesOf(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [i, [code, jumpTrue, jumpFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, i * 8);
    bytes.writeUInt8(jumpTrue, i * 8 + 2);
    bytes.writeUInt8(jumpFalse, i * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, i * 8 + 4);
  }
  return bytes;
}

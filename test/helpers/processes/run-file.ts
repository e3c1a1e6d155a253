import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs a program without blocking this process, whose service it may call. @returns what it wrote on standard output */
export async function runFile(command: string, args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(command, [...args], { maxBuffer: 16 * 1024 * 1024 })).stdout;
}

/** @returns arguments of node that run one of these programs, by its name */
export function compile(programs: Readonly<Record<string, string>>): Promise<(name: string) => string[]>;
/** Compile a program and run it in this process. */
export function run(source: string): Promise<void>;

/** @returns a function that maps a program's name to the node arguments that run it */
export function compile(programs: Readonly<Record<string, string>>): Promise<(name: string) => string[]>;
/** Compiles a program and runs it in this process. */
export function run(source: string): Promise<void>;

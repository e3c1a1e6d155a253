/** Builds the console when its sources have changed since the last build. */
export declare function buildConsole(): Promise<'built' | 'current'>;

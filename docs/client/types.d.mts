/** Writes the description of the package of types beside its declarations. */
export function describeTypes(folder: string): void;

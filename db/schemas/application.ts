export type Application = { name: string; [k: string]: unknown };

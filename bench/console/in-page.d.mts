/** When an act is done: one of the elements contains `shows`, and none contains `hides`. */
export type Until = { until: string; shows?: string; hides?: string };

export function timeInPage(options: { path?: string; untils: readonly Until[] }): Promise<number>;
export function timeFrames(options: { css: string; frames: number }): Promise<number[]>;
export function readRows(options: { css: string; rows: number }): Promise<void>;
export function largestPaint(): Promise<number>;
export function requestsBefore(ms: number): number;

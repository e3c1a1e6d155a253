import { compileTextFsm } from './compile.ts';
import { readText, type TextFsmRecord, TextRefused } from './run.ts';

/** A template that compiles, and the text that it reads. */
export type TextFsmReading = { template: string; text: string };

/** The records of a text, or why the template does not read it: a thread throws no errors of ours. */
export type TextFsmRead = { records: TextFsmRecord[] } | { refused: string };

/** Reads a text by a template to its end. */
export function recordsOf({ template, text }: TextFsmReading): TextFsmRead {
  try {
    return { records: readText(compileTextFsm(template), text) };
  } catch (error) {
    if (error instanceof TextRefused) return { refused: error.message };
    throw error;
  }
}

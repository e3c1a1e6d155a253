import { compileTextFsm } from './compile.ts';
import { readText, type TextFsmRecord, TextFsmRunError } from './run.ts';

/** A template that compiles, and the text to parse with it. */
export type TextFsmReading = { template: string; text: string };

/** The records of a text, or why parsing failed: a thread returns errors instead of throwing ours. */
export type TextFsmRead = { records: TextFsmRecord[] } | { error: string };

/**
 * Compiles a template and parses a text with it.
 *
 * @returns the records, or why the text was rejected
 * @throws the error of a template that does not compile
 */
export function recordsOf({ template, text }: TextFsmReading): TextFsmRead {
  try {
    return { records: readText(compileTextFsm(template), text) };
  } catch (error) {
    if (error instanceof TextFsmRunError) return { error: error.message };
    throw error;
  }
}

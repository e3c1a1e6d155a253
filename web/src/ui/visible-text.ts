/** Characters that would change how other text is displayed, or that nobody could see; joiners and tags are seen at times. */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** A flag of a part of a country, up to one of its tags. */
const FLAG = /\u{1f3f4}[\u{e0020}-\u{e007e}]*$/u;
/** Most code units of such a flag. */
const LONGEST_FLAG = 16;

/** A joiner where it is seen: between parts of an emoji, or between letters of the scripts from Arabic to Sinhala. */
const JOINED =
  /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d\p{Extended_Pictographic}|[\u0600-\u061b\u061d-\u0dff][\u200c\u200d][\u0600-\u061b\u061d-\u0dff]/u;

/**
 * Returns foreign text with escape, control and bidirectional characters as visible marks: `␛`, `⟨U+202E⟩`. Line feeds
 * and tabs stay, and so do joiners where they are seen.
 */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE, (character, at: number) => {
    // Five characters have room for a joiner in their middle alone.
    if (JOINED.test(text.slice(Math.max(0, at - 2), at + 3))) return character;
    const code = character.codePointAt(0) ?? 0;
    if (code > 0xffff && FLAG.test(text.slice(Math.max(0, at - LONGEST_FLAG), at))) return character;
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return '␡';
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

/** The name of a document of a project begins with the id of the project: `@65f0c1d2e3a4b5c6d7e8f901: Set the time server`. */
const PROJECT = /^@([0-9a-f]{24}): /;

/** Returns the name of a document as users know it: without the id of its project. */
export const nameText = (name: string): string => name.replace(PROJECT, '');

/** Returns the id of the project of which a document of this name is a part. */
export const projectOf = (name: string): string | undefined => PROJECT.exec(name)?.[1];

import { expect, test } from 'vitest';
import { visibleText } from '../../web/src/ui/visible-text.ts';

test.each([
  ['an emoji of several parts', '\u{1f9d1}\u{1f3fd}\u200d\u{1f692} on call'],
  ['a flag with a variation', '\u{1f3f3}\ufe0f\u200d\u{1f308}'],
  ['Persian letters that are not joined', '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'],
  ['one behind the first letter', '\u0628\u200c\u0647 leaf'],
  ['the flag of Scotland', '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} Glasgow'],
  ['Sinhala', '\u0dc1\u0dca\u200d\u0dbb\u0dd3'],
])('joiners stay where they are seen: %s', (_, text) => {
  expect(visibleText(text)).toBe(text);
});

test.each([
  ['ro\u200duter', 'ro⟨U+200D⟩uter'],
  ['\u200dspine', '⟨U+200D⟩spine'],
  ['leaf\u200c', 'leaf⟨U+200C⟩'],
  ['\u0645\u200ca', '\u0645⟨U+200C⟩a'],
  ['\u0645\u061c\u200c\u0645', '\u0645⟨U+061C⟩⟨U+200C⟩\u0645'],
  ['co\u00adre\u206e\ufffa', 'co⟨U+00AD⟩re⟨U+206E⟩⟨U+FFFA⟩'],
  ['edge\u202e1', 'edge⟨U+202E⟩1'],
  ['1\u061c2', '1⟨U+061C⟩2'],
  ['core\u3164', 'core⟨U+3164⟩'],
  ['a\u00adb\u180ec\u206ad', 'a⟨U+00AD⟩b⟨U+180E⟩c⟨U+206A⟩d'],
  ['leaf\u{e0061}', 'leaf⟨U+E0061⟩'],
  ['a\u001bb\u007f', 'a␛b␡'],
])('what nobody could see, or what turns other text around, is a mark: %j', (text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

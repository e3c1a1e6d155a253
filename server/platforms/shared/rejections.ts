/**
 * Whole sentences with which systems that put no mark in front reject a line of configuration. Counters and values of
 * outputs, which have a colon or a number behind such words, are none.
 */
export const SENTENCES = [
  '(?:Can ?not|Can.t|Could not|Failed to|Unable to) [a-z]',
  '(?:Duplicate|Illegal|Insufficient|Invalid) [a-zA-Z][^:.\\d]{0,80}\\.?\\s*$',
  '(?:Command|Operation) (?:failed|not (?:allowed|found|permitted|supported))',
  'Not supported[.!]?\\s*$',
  'Overlapping networks ',
  '(?:The|This) .{1,100} (?:already exists|does not exist|is (?:invalid|not (?:allowed|supported|valid)))[.!]?\\s*$',
  '(?:The|This) .{1,100} (?:conflicts with|does not support|is (?:already|overlapping with)) .{1,60}$',
];

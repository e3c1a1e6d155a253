import { expect, test } from 'vitest';
import { completionsOf } from '../../web/src/ui/inputs/lines.ts';

const KNOWN = ['cisco-ios', 'cisco-xr', 'junos', 'with, comma'];

test.each([
  ['', ['cisco-ios', 'cisco-xr', 'junos']],
  ['XR', ['cisco-xr']],
  ['junos, cis', ['junos, cisco-ios', 'junos, cisco-xr']],
  ['cisco-ios,', ['cisco-ios, cisco-xr', 'cisco-ios, junos']],
  ['none', []],
])('a field with “%s” is completed to %j: each name once, after what was typed before', (text, completed) => {
  expect(completionsOf(text, KNOWN)).toEqual(completed);
});

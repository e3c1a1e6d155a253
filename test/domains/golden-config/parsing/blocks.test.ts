import { expect, test } from 'vitest';
import { linesOf, parse, read } from './tree.ts';

test.each([
  [
    'cisco-ios',
    'banner motd ^C\nhi\n! no comment\n\n  there ^C\nend\n',
    ['banner motd ^C', ['hi\n! no comment\n\n  there ^C']],
  ],
  ['cisco-ios', 'banner motd \u0003\nhi\n\u0003\nend\n', ['banner motd ^C', ['hi\n^C']]],
  ['cisco-ios', 'banner exec #\nhi\n#\nend\n', ['banner exec ^C', ['hi\n^C']]],
  ['cisco-ios', 'banner login ^Cone line^C\nend\n', 'banner login ^Cone line^C'],
  ['cisco-ios', 'banner login @one line@\nend\n', 'banner login ^Cone line^C'],
  ['cisco-ios', 'banner motd ^C^C\nend\n', 'banner motd ^C^C'],
  ['cisco-ios', 'banner motd #\nabout ^C\n#\nend\n', ['banner motd #', ['about ^C\n#']]],
  ['cisco-ios-xr', 'banner motd ~\nhi\n~\nend\n', ['banner motd ~', ['hi\n~']]],
  ['arista-eos', 'banner login\nhi EOF\n EOFs\nEOF\nend\n', ['banner login', ['hi EOF\n EOFs\nEOF']]],
  ['arista-eos', 'banner motd\nask for\nvlan 20\nEOF\nend\n', ['banner motd', ['ask for\nvlan 20\nEOF']]],
  ['aruba-aoscx', 'banner motd !\nhi\n!\nend\n', ['banner motd !', ['hi\n!']]],
  ['hp-comware', 'header motd %\nhi # there\n#\n%\nend\n', ['header motd %', ['hi # there\n#\n%']]],
  [
    'huawei-vrp',
    'header login information "\nhi # there\n#\n"\nend\n',
    ['header login information "', ['hi # there\n#\n"']],
  ],
  ['huawei-vrp', 'header shell information %hi%\nend\n', 'header shell information %hi%'],
  ['cisco-ios', 'macro name m\nswitchport\n@\nend\n', ['macro name m', ['switchport\n@']]],
  ['nvidia-onyx', 'banner motd "\nhi\n"\nend\n', 'banner motd "\nhi\n"'],
  [
    'extreme-exos',
    'create upm profile p\ndisable telnet\n# why\n.\nend\n',
    ['create upm profile p', ['disable telnet\n# why\n.']],
  ],
])('%s: %j holds one block', (dialect, text, block) => {
  expect(read(dialect, text)).toEqual([block, 'end']);
});

test('banners follow one another, and a section may contain one', () => {
  const text = 'banner motd ^\na\n^\nbanner exec ^\nb\n^\nline vty 0\n vacant-message ^\nbusy\n^\n login\n';
  expect(read('cisco-ios', text)).toEqual([
    ['banner motd ^C', ['a\n^C']],
    ['banner exec ^C', ['b\n^C']],
    ['line vty 0', [['vacant-message ^C', ['busy\n^C']], 'login']],
  ]);
});

test('the lines of a block know their place, and so do those behind it', () => {
  const lines = linesOf(parse('cisco-ios', 'hostname a\nbanner motd ^C\n1\n2\n^C\nend\n'));
  expect(lines.map(({ line, block }) => [line, block === true])).toEqual([
    [1, false],
    [2, false],
    [3, true],
    [6, false],
  ]);
});

test('a banner of ASA is one line each, and one that is not closed stays flat with a warning', () => {
  expect(read('cisco-asa', 'banner motd # hello\nbanner motd\nhostname a\n')).toHaveLength(3);
  const parsed = parse('cisco-ios', 'banner motd ~\nhostname a\n');
  expect(parsed.lines.map(({ text }) => text)).toEqual(['banner motd ~', 'hostname a']);
  expect(parsed.warnings).toEqual([{ line: 1, reason: 'the text opened by ~ is not closed' }]);
});

test('a certificate is its hexadecimal lines up to quit; one that is only named opens nothing', () => {
  const chain =
    'crypto pki certificate chain T\n certificate self-signed 01\n  3082 0A\n  FF\n  \tquit\n certificate ca 02 nvram:a.cer\nend\n';
  expect(read('cisco-ios', chain)).toEqual([
    [
      'crypto pki certificate chain T',
      [['certificate self-signed 01', ['  3082 0A\n  FF\n  \tquit']], 'certificate ca 02 nvram:a.cer'],
    ],
    'end',
  ]);
});

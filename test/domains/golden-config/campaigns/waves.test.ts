import { expect, test } from 'vitest';
import { waveSize, waveStarts } from '#server/domains/golden-config/campaigns/waves.ts';

const campaign = { waves: [1, 2], wave: 0, nextWave: null };

test('the last size of a wave counts for all waves after it; without sizes they are 1, 10 and 100', () => {
  expect([1, 2, 3, 9].map((wave) => waveSize({ waves: [1, 2] }, wave))).toEqual([1, 2, 2, 2]);
  expect([1, 2, 3, 9].map((wave) => waveSize({}, wave))).toEqual([1, 10, 100, 100]);
});

test('waves that come begin after the devices of those before them', () => {
  expect(waveStarts(campaign, 0, 5)).toEqual([1, 2, 4, 6]);
  expect(waveStarts(campaign, 0, 0)).toEqual([1]);
});

test('a wave that has begun keeps the devices that it has still to take, and one that ended takes none', () => {
  const second = { ...campaign, wave: 2 };
  expect(waveStarts(second, 1, 3)).toEqual([2, 4]);
  expect(waveStarts(second, 2, 2)).toEqual([1, 3]);
  expect(waveStarts({ ...second, nextWave: '2026-03-01T00:00:00.000Z' }, 1, 2)).toEqual([1, 3]);
});

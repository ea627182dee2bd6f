// Products of transforms: many convolutions at once, with a bound of the error.

const UNIT = 2 ** -53;

/** Transform complex numbers in place. The number of values is a power of two. */
function transform(real, imaginary, inverse) {
  const size = real.length;
  for (let i = 1, j = 0; i < size; i++) {
    let bit = size >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [real[i], real[j]] = [real[j], real[i]];
      [imaginary[i], imaginary[j]] = [imaginary[j], imaginary[i]];
    }
  }
  const cosines = new Float64Array(size / 2);
  const sines = new Float64Array(size / 2);
  for (let k = 0; k < size / 2; k++) {
    const angle = (2 * Math.PI * k) / size;
    cosines[k] = Math.cos(angle);
    sines[k] = inverse ? Math.sin(angle) : -Math.sin(angle);
  }
  for (let length = 2; length <= size; length <<= 1) {
    const half = length >> 1;
    const step = size / length;
    for (let from = 0; from < size; from += length) {
      for (let k = 0; k < half; k++) {
        const c = cosines[k * step];
        const s = sines[k * step];
        const i = from + k;
        const j = i + half;
        const re = real[j] * c - imaginary[j] * s;
        const im = real[j] * s + imaginary[j] * c;
        real[j] = real[i] - re;
        imaginary[j] = imaginary[i] - im;
        real[i] += re;
        imaginary[i] += im;
      }
    }
  }
  if (inverse) {
    for (let i = 0; i < size; i++) {
      real[i] /= size;
      imaginary[i] /= size;
    }
  }
}

/**
 * Return the convolution of arrays, each taken a number of times, and a bound of the error in the Euclidean norm.
 *
 * Each array has non-negative numbers with a sum of at most 1. The relative error of a transform of `size` numbers, in
 * the Euclidean norm, is below 8 u log2(size); every array contributes the error of its transform, times how often it
 * is taken, because no transform exceeds 1.
 */
export function convolved(arrays, times, length) {
  let size = 2;
  while (size < length) size *= 2;
  const real = new Float64Array(size).fill(1);
  const imaginary = new Float64Array(size);
  let factors = 0;
  arrays.forEach((array, index) => {
    if (times[index] === 0) return;
    const re = new Float64Array(size);
    const im = new Float64Array(size);
    re.set(array);
    transform(re, im, false);
    for (let turn = 0; turn < times[index]; turn++) {
      for (let i = 0; i < size; i++) {
        const product = real[i] * re[i] - imaginary[i] * im[i];
        imaginary[i] = real[i] * im[i] + imaginary[i] * re[i];
        real[i] = product;
      }
    }
    factors += times[index];
  });
  transform(real, imaginary, true);
  const error = 8 * UNIT * Math.log2(size) * (factors + 2);
  return { values: real.subarray(0, length), error };
}

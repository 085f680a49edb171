// Linear layouts: which element each register of each lane of each warp holds.
//
// The bases of an in-dimension are the elements at 1, 2, 4, …; the element of any other number is
// the XOR of the bases of its bits.

export const DIMENSIONS = ["register", "lane", "warp", "block"];

/** The number of places along an in-dimension. */
export function sizeOf(layout, dimension) {
  return 1 << (layout.bases[dimension]?.length ?? 0);
}

/** The coordinates of the element at a place, such as {register: 1, lane: 5}. */
export function elementAt(layout, place) {
  const element = layout.shape.map(() => 0);
  for (const [dimension, bases] of Object.entries(layout.bases)) {
    const number = place[dimension] ?? 0;
    bases.forEach((basis, bit) => {
      if ((number >> bit) & 1) basis.forEach((value, axis) => (element[axis] ^= value));
    });
  }
  return element;
}

/** The row-major index of an element. */
export function indexOf(shape, element) {
  return element.reduce((index, coordinate, axis) => index * shape[axis] + coordinate, 0);
}

/** Whether a layout is one of shared memory, from offsets. */
export function isMemory(layout) {
  return "offset" in layout.bases;
}

/** All places of a layout, the register fastest. */
export function* placesOf(layout) {
  if (isMemory(layout)) {
    for (let offset = 0; offset < sizeOf(layout, "offset"); offset++) yield {offset};
    return;
  }
  for (let block = 0; block < sizeOf(layout, "block"); block++)
    for (let warp = 0; warp < sizeOf(layout, "warp"); warp++)
      for (let lane = 0; lane < sizeOf(layout, "lane"); lane++)
        for (let register = 0; register < sizeOf(layout, "register"); register++)
          yield {block, warp, lane, register};
}

/** For each element, in row-major order, the places that hold it. */
export function holdersOf(layout) {
  const count = layout.shape.reduce((product, size) => product * size, 1);
  const holders = Array.from({length: count}, () => []);
  for (const place of placesOf(layout)) {
    holders[indexOf(layout.shape, elementAt(layout, place))]?.push(place);
  }
  return holders;
}

/** A place as people write it: "T5:1" for register 1 of thread 5. */
export function placeText(layout, place) {
  if (isMemory(layout)) return String(place.offset);
  const thread = place.warp * sizeOf(layout, "lane") + place.lane;
  const block = sizeOf(layout, "block") > 1 ? `B${place.block}:` : "";
  return `${block}T${thread}:${place.register}`;
}

// Short sounds, off unless they are asked for: one for a card or stone, one for my turn, one for the end.

const NOTES = { move: [[330, 0, 0.05]], turn: [[523, 0, 0.09], [659, 0.09, 0.12]], end: [[523, 0, 0.12], [659, 0.12, 0.12], [784, 0.24, 0.25]] };
const LOUD = 0.12;
let out = null;

// Play the sound of a kind; it is silent until somebody has touched the page.
export function sound(kind) {
  out ??= new AudioContext();
  if (out.state === "suspended") out.resume();
  for (const [pitch, after, long] of NOTES[kind]) {
    const [tone, volume, from] = [out.createOscillator(), out.createGain(), out.currentTime + after];
    tone.frequency.value = pitch;
    tone.type = "triangle";
    volume.gain.setValueAtTime(LOUD, from);
    volume.gain.exponentialRampToValueAtTime(0.001, from + long);
    tone.connect(volume).connect(out.destination);
    tone.start(from);
    tone.stop(from + long);
  }
}

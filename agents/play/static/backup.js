// Settings, language and finished games of this browser as a file, which another browser takes over.

import { addRecords, records } from "./records.js";
import { isObject, isText, store, stored } from "./storage.js";
import { addWishes, wishes } from "./wishes.js";

const FORM = "kozyr settings 1"; // told by the file, so that no other is taken for one
const LONGEST = 10_000_000; // characters of a file

export const chosenLanguage = () => stored("language", isText, null);
export const keepLanguage = (tag) => store("language", tag);

export function backup() {
  const kept = { form: FORM, language: chosenLanguage(), wishes: wishes(), records: records() };
  return new Blob([JSON.stringify(kept)], { type: "application/json" });
}

// Take over what is in a file; false if it is none of ours, and then nothing changes.
export function restore(text, languages) {
  let kept;
  try {
    kept = text.length < LONGEST && JSON.parse(text);
  } catch {
    return false;
  }
  if (!isObject(kept) || kept.form !== FORM || !isObject(kept.wishes) || !Array.isArray(kept.records)) return false;
  if (languages.includes(kept.language)) keepLanguage(kept.language);
  addWishes(kept.wishes);
  addRecords(kept.records);
  return true;
}

"""What draws scenes in a browser: `scene.js`, `words.js` and the theme."""

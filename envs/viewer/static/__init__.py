"""Scripts and styles of scenes in a browser (`scene.js`, `words.js` and the theme) and of the viewer's page."""

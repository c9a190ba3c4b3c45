/** Contract suites: what every provider must do, as tests to extend. */
@NullMarked
package dev.weir.testkit;

import org.jspecify.annotations.NullMarked;

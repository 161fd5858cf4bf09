# torchpaged::torchpaged: the operators with their schemas, and headers. It brings torch with it.
include(CMakeFindDependencyMacro)
find_dependency(Torch)

get_filename_component(_torchpaged_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET torchpaged::torchpaged)
  add_library(torchpaged::torchpaged SHARED IMPORTED)
  set_target_properties(torchpaged::torchpaged PROPERTIES
    IMPORTED_LOCATION "${_torchpaged_root}/lib/libtorchpaged.so"
    INTERFACE_INCLUDE_DIRECTORIES "${_torchpaged_root}/include"
    INTERFACE_COMPILE_FEATURES cxx_std_17
    INTERFACE_LINK_LIBRARIES "${TORCH_LIBRARIES}")
endif()
unset(_torchpaged_root)
